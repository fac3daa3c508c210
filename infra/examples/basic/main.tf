# The service, and a policy for the CI jobs that take its locks.

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

module "statelock" {
  source = "../.."

  package = var.package
}

# CI takes, renews, frees and sees locks. To mark a lock stale, and to force it, is for
# people: neither is granted here.
data "aws_iam_policy_document" "ci" {
  statement {
    actions = ["execute-api:Invoke"]
    resources = [
      "${module.statelock.api_arn}/*/POST/v1/acquire",
      "${module.statelock.api_arn}/*/POST/v1/renew",
      "${module.statelock.api_arn}/*/POST/v1/release",
      "${module.statelock.api_arn}/*/GET/v1/locks",
      "${module.statelock.api_arn}/*/GET/v1/locks/*",
    ]
  }
}

resource "aws_iam_policy" "ci" {
  name   = "statelock-ci"
  policy = data.aws_iam_policy_document.ci.json
}

output "api_url" {
  description = "The address of the API."
  value       = module.statelock.api_url
}
