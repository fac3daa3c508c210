terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source = "hashicorp/aws"
      # What the module is checked with. key_schema in an index is new in 6.
      version = ">= 6.47, < 7.0"
    }
  }
}
