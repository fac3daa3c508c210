# Roles are the account's, the rest is the region's: with a prefix for a name,
# several regions can have the service.
resource "aws_iam_role" "lock" {
  name_prefix        = "${var.name}-"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

resource "aws_iam_role" "history" {
  name_prefix        = "${var.name}-history-"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

# What the functions may do to the table: read it, and change one item at a time.
# They can't write in bulk, and can't delete.
resource "aws_iam_role_policy" "locks" {
  name   = "locks"
  role   = aws_iam_role.lock.id
  policy = data.aws_iam_policy_document.locks.json
}

data "aws_iam_policy_document" "locks" {
  statement {
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.lock.arn]
  }

  statement {
    actions = ["dynamodb:Query"]
    resources = [
      aws_dynamodb_table.lock.arn,
      "${aws_dynamodb_table.lock.arn}/index/by_state",
      "${aws_dynamodb_table.lock.arn}/index/by_lease",
    ]
  }
}

resource "aws_iam_role_policy" "log" {
  name   = "log"
  role   = aws_iam_role.lock.id
  policy = data.aws_iam_policy_document.log.json
}

data "aws_iam_policy_document" "log" {
  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.lock.arn}:*"]
  }
}

resource "aws_iam_role_policy" "history" {
  name   = "history"
  role   = aws_iam_role.history.id
  policy = data.aws_iam_policy_document.history.json
}

resource "aws_iam_role_policy" "history_log" {
  name   = "log"
  role   = aws_iam_role.history.id
  policy = data.aws_iam_policy_document.log.json
}

data "aws_iam_policy_document" "history" {
  statement {
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.lock.arn]
  }

  statement {
    actions   = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
    resources = [aws_dynamodb_table.lock.stream_arn]
  }

  # It has no resources to name.
  statement {
    actions   = ["dynamodb:ListStreams"]
    resources = ["*"]
  }

  statement {
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.lock.arn]
  }
}

# The key is used on behalf of whoever uses the table, and through it alone.
resource "aws_iam_role_policy" "key" {
  for_each = var.kms_key_arn == "" ? {} : { lock = aws_iam_role.lock.id, history = aws_iam_role.history.id }

  name   = "key"
  role   = each.value
  policy = data.aws_iam_policy_document.key.json
}

data "aws_iam_policy_document" "key" {
  statement {
    actions   = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
    resources = [var.kms_key_arn]

    condition {
      test     = "StringEquals"
      variable = "kms:ViaService"
      values   = ["dynamodb.${data.aws_region.current.region}.amazonaws.com"]
    }
  }
}

# X-Ray knows no resources to name.
resource "aws_iam_role_policy" "trace" {
  for_each = var.tracing == "Active" ? { lock = aws_iam_role.lock.id, history = aws_iam_role.history.id } : {}

  name   = "trace"
  role   = each.value
  policy = data.aws_iam_policy_document.trace.json
}

data "aws_iam_policy_document" "trace" {
  statement {
    actions   = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]
    resources = ["*"]
  }
}
