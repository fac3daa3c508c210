# Records what the table's stream shows of each transition. The same program,
# with a role of its own: the function that serves requests can't write records.
resource "aws_lambda_function" "history" {
  function_name    = "${var.name}-history"
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "bootstrap"
  runtime          = "provided.al2023"
  architectures    = ["arm64"]
  memory_size      = 128
  timeout          = 30

  role = aws_iam_role.history.arn

  environment {
    variables = {
      STATELOCK_TABLE        = aws_dynamodb_table.lock.name
      STATELOCK_KEEP_HISTORY = "${var.keep_history_hours}h"
    }
  }

  logging_config {
    log_group  = aws_cloudwatch_log_group.lock.name
    log_format = "JSON"
  }

  # The function must not run before it may write.
  depends_on = [aws_iam_role_policy.history, aws_iam_role_policy.history_log]
}

resource "aws_lambda_event_source_mapping" "history" {
  function_name                  = aws_lambda_function.history.arn
  event_source_arn               = aws_dynamodb_table.lock.stream_arn
  starting_position              = "TRIM_HORIZON"
  batch_size                     = 100
  bisect_batch_on_function_error = true
  function_response_types        = ["ReportBatchItemFailures"]

  # Not its own records.
  filter_criteria {
    filter {
      pattern = jsonencode({ dynamodb = { Keys = { sk = { S = ["lock"] } } } })
    }
  }
}

resource "aws_iam_role" "history" {
  name_prefix        = "${var.name}-history-"
  assume_role_policy = data.aws_iam_policy_document.assume.json
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
    actions = [
      "dynamodb:DescribeStream",
      "dynamodb:GetRecords",
      "dynamodb:GetShardIterator",
      "dynamodb:ListStreams",
    ]
    resources = [aws_dynamodb_table.lock.stream_arn]
  }
}
