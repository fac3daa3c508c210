resource "aws_lambda_function" "lock" {
  function_name    = var.name
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "bootstrap"
  runtime          = "provided.al2023"
  architectures    = ["arm64"]
  memory_size      = 256

  # Well under the 30 seconds after which the API gives up, so that a caller
  # gets an answer rather than a guess.
  timeout = 10

  role = aws_iam_role.lock.arn

  environment {
    variables = {
      STATELOCK_TABLE = aws_dynamodb_table.lock.name
    }
  }

  logging_config {
    log_group  = aws_cloudwatch_log_group.lock.name
    log_format = "JSON"
  }

  # The function must not run before it may write.
  depends_on = [aws_iam_role_policy.locks, aws_iam_role_policy.log]
}

# Who took, freed and forced what.
resource "aws_cloudwatch_log_group" "lock" {
  name              = "/statelock/${var.name}"
  retention_in_days = var.log_retention_days
}

# Roles are the account's, the rest is the region's: with a prefix for a name,
# several regions can have the service.
resource "aws_iam_role" "lock" {
  name_prefix        = "${var.name}-"
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

# What the function may do: read locks, and change one at a time. It can't write
# in bulk, and can't delete.
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
