# Jobs of GitHub Actions bring their own JWTs, to all routes: no secret is kept
# anywhere. What a job may do depends on its repository and branch.

terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.47, < 7.0"
    }
  }
}

provider "aws" {
  region = "eu-west-1"
}

variable "package" {
  description = "Path of the function's zip archive, as made by make build."
  type        = string
  default     = "../../../build/lock.zip"
}

locals {
  github = "https://token.actions.githubusercontent.com"
}

module "statelock" {
  source = "../.."

  package      = var.package
  jwt_issuer   = local.github
  jwt_audience = "statelock.example.com"

  issuers = jsonencode([{
    issuer   = local.github
    audience = "statelock.example.com"

    rules = [
      # Whoever plans and applies: jobs of the main branch.
      {
        claims     = { repository = "acme/*", ref = "refs/heads/main" }
        workspaces = ["{repository}/**"]
      },
      # Pull requests look, and change nothing. To look is to read the state,
      # secrets included.
      {
        claims      = { repository = "acme/*", event_name = "pull_request" }
        workspaces  = ["{repository}/**"]
        permissions = ["read"]
      },
      # Operators work by a workflow of their own, in an environment with reviewers.
      {
        claims      = { repository = "acme/operations", environment = "locks" }
        workspaces  = ["acme/**"]
        permissions = ["read", "acquire", "release_lock", "mark_stale", "force_unlock"]
      },
    ]
  }])
}

output "api_url" {
  description = "The address of the API."
  value       = module.statelock.api_url
}
