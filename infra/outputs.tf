output "api_url" {
  description = "The address of the API."
  value       = aws_apigatewayv2_api.lock.api_endpoint
}

output "api_arn" {
  description = "What policies of callers name, followed by /*/METHOD/PATH."
  value       = aws_apigatewayv2_api.lock.execution_arn
}

output "ops_function_name" {
  description = "For command documents by direct invokes."
  value       = aws_lambda_function.ops.function_name
}

output "table_name" {
  description = "The table of the locks."
  value       = aws_dynamodb_table.lock.name
}

output "log_group_name" {
  description = "The functions' log."
  value       = aws_cloudwatch_log_group.lock.name
}

output "topic_arn" {
  description = "What to subscribe to, for alarms and notifications."
  value       = aws_sns_topic.lock.arn
}

output "ci_policy_arn" {
  description = "The policy for CI jobs."
  value       = aws_iam_policy.ci.arn
}

output "operator_policy_arn" {
  description = "The policy for operators."
  value       = aws_iam_policy.operator.arn
}
