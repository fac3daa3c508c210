# The service as it comes, and an operator who hears of its alarms.

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

variable "email" {
  description = "Who hears of alarms, and of locks that are taken away."
  type        = string
  default     = "operator@example.com"
}

resource "aws_sns_topic_subscription" "operator" {
  topic_arn = module.statelock.topic_arn
  protocol  = "email"
  endpoint  = var.email
}

output "api_url" {
  description = "The address of the API."
  value       = module.statelock.api_url
}

output "ci_policy_arn" {
  description = "To attach to the roles of CI jobs: they take, renew, free and see locks."
  value       = module.statelock.ci_policy_arn
}

output "operator_policy_arn" {
  description = "To attach to the roles of people who take locks away from runners that are gone."
  value       = module.statelock.operator_policy_arn
}
