# Records what the table's stream shows of each transition, and tells the topic.
# It has a role of its own.
resource "aws_lambda_function" "history" {
  function_name    = "${var.name}-history"
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "bootstrap"
  runtime          = "provided.al2023"
  architectures    = ["arm64"]
  role             = aws_iam_role.history.arn
  memory_size      = 256
  timeout          = 30

  environment {
    variables = merge(local.settings, {
      STATELOCK_SERVES = "history"
      STATELOCK_TOPIC  = aws_sns_topic.lock.arn
    })
  }

  logging_config {
    log_group  = aws_cloudwatch_log_group.lock.name
    log_format = "JSON"
  }

  tracing_config {
    mode = var.tracing
  }

  depends_on = [aws_iam_role_policy.history, aws_iam_role_policy.history_log]
}

resource "aws_lambda_event_source_mapping" "history" {
  function_name                  = aws_lambda_function.history.arn
  event_source_arn               = aws_dynamodb_table.lock.stream_arn
  starting_position              = "TRIM_HORIZON"
  batch_size                     = 100
  bisect_batch_on_function_error = true
  function_response_types        = ["ReportBatchItemFailures"]

  # Locks: not the history's own records, and no states.
  filter_criteria {
    filter {
      pattern = jsonencode({ dynamodb = { Keys = { sk = { S = ["lock"] } } } })
    }
  }
}
