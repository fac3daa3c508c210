output "api_url" {
  description = "The address of the API."
  value       = aws_apigatewayv2_api.lock.api_endpoint
}

output "api_arn" {
  description = "What policies of callers name, followed by /*/METHOD/PATH."
  value       = aws_apigatewayv2_api.lock.execution_arn
}

output "function_name" {
  description = "For direct invokes."
  value       = aws_lambda_function.lock.function_name
}

output "table_name" {
  description = "The table of the locks."
  value       = aws_dynamodb_table.lock.name
}

output "log_group_name" {
  description = "The function's log."
  value       = aws_cloudwatch_log_group.lock.name
}
