# What each alarm means, and what to do: docs/operations.md.
locals {
  alarms = {
    server-errors = {
      description = "The API answers 5xx."
      namespace   = "AWS/ApiGateway"
      metric      = "5xx"
      dimensions  = { ApiId = aws_apigatewayv2_api.lock.id }
      statistic   = "Sum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 5
      missing     = "notBreaching"
    }
    api-throttles = {
      description = "Lambda turns requests of the API away."
      namespace   = "AWS/Lambda"
      metric      = "Throttles"
      dimensions  = { FunctionName = aws_lambda_function.api.function_name }
      statistic   = "Sum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 1
      missing     = "notBreaching"
    }
    table-throttles = {
      description = "DynamoDB turns writes away."
      namespace   = "AWS/DynamoDB"
      metric      = "WriteThrottleEvents"
      dimensions  = { TableName = aws_dynamodb_table.lock.name }
      statistic   = "Sum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 1
      missing     = "notBreaching"
    }
    api-errors = {
      description = "The function of the API fails."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = aws_lambda_function.api.function_name }
      statistic   = "Sum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 1
      missing     = "notBreaching"
    }
    ops-errors = {
      description = "The function of the operators fails."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = aws_lambda_function.ops.function_name }
      statistic   = "Sum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 1
      missing     = "notBreaching"
    }
    sweep-errors = {
      description = "Sweeps break off."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = aws_lambda_function.sweep.function_name }
      statistic   = "Sum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 2
      missing     = "notBreaching"
    }
    history-errors = {
      description = "The function of the history fails."
      namespace   = "AWS/Lambda"
      metric      = "Errors"
      dimensions  = { FunctionName = aws_lambda_function.history.function_name }
      statistic   = "Sum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 1
      missing     = "notBreaching"
    }
    sweep-missing = {
      description = "Nobody sweeps."
      namespace   = "AWS/Lambda"
      metric      = "Invocations"
      dimensions  = { FunctionName = aws_lambda_function.sweep.function_name }
      statistic   = "Sum"
      period      = 300
      comparison  = "LessThanThreshold"
      threshold   = 1
      missing     = "breaching"
    }
    history-lag = {
      description = "The history is late, in milliseconds."
      namespace   = "AWS/Lambda"
      metric      = "IteratorAge"
      dimensions  = { FunctionName = aws_lambda_function.history.function_name }
      statistic   = "Maximum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 600000
      missing     = "notBreaching"
    }
    stale-too-long = {
      description = "A lock has been stale for long, in seconds."
      namespace   = "statelock"
      metric      = "OldestStale"
      dimensions  = { Table = aws_dynamodb_table.lock.name }
      statistic   = "Maximum"
      period      = 300
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = var.stale_alarm_seconds
      missing     = "notBreaching"
    }
    refused-state-write = {
      description = "A state was not written: its writer no longer holds the lock, wrote without one, or came late."
      namespace   = "statelock"
      metric      = "RefusedStateWrites"
      dimensions  = { Table = aws_dynamodb_table.lock.name }
      statistic   = "Sum"
      period      = 60
      comparison  = "GreaterThanOrEqualToThreshold"
      threshold   = 1
      missing     = "notBreaching"
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "lock" {
  for_each = local.alarms

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.description
  namespace           = each.value.namespace
  metric_name         = each.value.metric
  dimensions          = each.value.dimensions
  statistic           = each.value.statistic
  period              = each.value.period
  evaluation_periods  = 1
  comparison_operator = each.value.comparison
  threshold           = each.value.threshold
  treat_missing_data  = each.value.missing
  alarm_actions       = [aws_sns_topic.lock.arn]
  ok_actions          = [aws_sns_topic.lock.arn]
}

# Hears of alarms, and of each lock that is marked stale or force-unlocked. It is
# not encrypted with AWS's key for SNS, to which alarms can't publish.
resource "aws_sns_topic" "lock" {
  name = var.name
}
