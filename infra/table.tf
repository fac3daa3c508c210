# The locks.
resource "aws_dynamodb_table" "lock" {
  name         = var.name
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "ws"
  range_key    = "sk"

  attribute {
    name = "ws"
    type = "S"
  }

  attribute {
    name = "sk"
    type = "S"
  }

  attribute {
    name = "st"
    type = "S"
  }

  attribute {
    name = "lease_until"
    type = "N"
  }

  global_secondary_index {
    name            = "by_state"
    projection_type = "ALL"

    key_schema {
      attribute_name = "st"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "ws"
      key_type       = "RANGE"
    }
  }

  global_secondary_index {
    name            = "by_lease"
    projection_type = "ALL"

    key_schema {
      attribute_name = "st"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "lease_until"
      key_type       = "RANGE"
    }
  }

  deletion_protection_enabled = var.deletion_protection

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn == "" ? null : var.kms_key_arn
  }

  # What each transition changed, for the history.
  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"

  # Items of the history, and of states on their way out: no lock ever expires.
  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }
}
