# One program, deployed once for each way in, so that the permission to invoke
# one of them grants no more than that one's.

locals {
  settings = {
    STATELOCK_TABLE         = aws_dynamodb_table.lock.name
    STATELOCK_DEFAULT_LEASE = "${var.default_lease_seconds}s"
    STATELOCK_MAX_LEASE     = "${var.max_lease_seconds}s"
    STATELOCK_NOTICE        = "${var.notice_seconds}s"
    STATELOCK_MAX_HOLD      = "${var.max_hold_seconds}s"
    STATELOCK_CLOCK_SKEW    = "${var.clock_skew_milliseconds}ms"
    STATELOCK_KEEP_HISTORY  = "${var.keep_history_hours}h"
    STATELOCK_MAX_STATE     = tostring(var.max_state_bytes)
    STATELOCK_KEEP_VERSIONS = tostring(var.keep_versions)
    STATELOCK_REQUIRE_LOCK  = tostring(var.require_lock)
    STATELOCK_ISSUERS       = var.issuers
    STATELOCK_JWT           = tostring(local.use_jwt)
  }
}

# Answers the API.
resource "aws_lambda_function" "api" {
  function_name    = var.name
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "bootstrap"
  runtime          = "provided.al2023"
  architectures    = ["arm64"]
  role             = aws_iam_role.lock.arn

  # A state of 6 MiB is held several times over.
  memory_size = 512

  # Well under the 30 seconds after which the API gives up, so that a caller
  # gets an answer rather than a guess.
  timeout = 15

  environment {
    variables = merge(local.settings, { STATELOCK_SERVES = "api" })
  }

  logging_config {
    log_group  = aws_cloudwatch_log_group.lock.name
    log_format = "JSON"
  }

  tracing_config {
    mode = var.tracing
  }

  # The functions must not run before they may write.
  depends_on = [aws_iam_role_policy.locks, aws_iam_role_policy.log]
}

# Takes command documents: lambda:InvokeFunction on it is the operator's right.
resource "aws_lambda_function" "ops" {
  function_name    = "${var.name}-ops"
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "bootstrap"
  runtime          = "provided.al2023"
  architectures    = ["arm64"]
  role             = aws_iam_role.lock.arn
  memory_size      = 256
  timeout          = 15

  environment {
    variables = merge(local.settings, { STATELOCK_SERVES = "ops" })
  }

  logging_config {
    log_group  = aws_cloudwatch_log_group.lock.name
    log_format = "JSON"
  }

  tracing_config {
    mode = var.tracing
  }

  depends_on = [aws_iam_role_policy.locks, aws_iam_role_policy.log]
}

# Who took, freed and forced what: kept when the module goes.
resource "aws_cloudwatch_log_group" "lock" {
  name              = "/statelock/${var.name}"
  retention_in_days = var.log_retention_days
  skip_destroy      = true
}
