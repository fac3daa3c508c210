# Marks lapsed leases stale; it frees nothing.
resource "aws_cloudwatch_event_rule" "sweep" {
  name                = "${var.name}-sweep"
  schedule_expression = "rate(1 minute)"
}

resource "aws_cloudwatch_event_target" "sweep" {
  rule = aws_cloudwatch_event_rule.sweep.name
  arn  = aws_lambda_function.lock.arn
}

resource "aws_lambda_permission" "sweep" {
  function_name = aws_lambda_function.lock.function_name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.sweep.arn
}
