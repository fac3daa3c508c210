# Marks lapsed leases stale; it frees nothing.
resource "aws_lambda_function" "sweep" {
  function_name    = "${var.name}-sweep"
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "bootstrap"
  runtime          = "provided.al2023"
  architectures    = ["arm64"]
  role             = aws_iam_role.lock.arn
  memory_size      = 256
  timeout          = 50

  environment {
    variables = merge(local.settings, { STATELOCK_SERVES = "sweep" })
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

# The next sweep is the retry.
resource "aws_lambda_function_event_invoke_config" "sweep" {
  function_name                = aws_lambda_function.sweep.function_name
  maximum_retry_attempts       = 0
  maximum_event_age_in_seconds = 60
}

resource "aws_cloudwatch_event_rule" "sweep" {
  name                = "${var.name}-sweep"
  schedule_expression = "rate(1 minute)"
}

resource "aws_cloudwatch_event_target" "sweep" {
  rule = aws_cloudwatch_event_rule.sweep.name
  arn  = aws_lambda_function.sweep.arn
}

resource "aws_lambda_permission" "sweep" {
  function_name = aws_lambda_function.sweep.function_name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.sweep.arn
}
