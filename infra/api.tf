locals {
  # One route per operation, so that IAM can grant each by itself.
  routes = [
    "POST /v1/acquire",
    "POST /v1/renew",
    "POST /v1/release",
    "POST /v1/mark-stale",
    "POST /v1/force-unlock",
    "GET /v1/locks",
    "GET /v1/locks/{ws+}",
    "GET /v1/history/{ws+}",
  ]
}

resource "aws_apigatewayv2_api" "lock" {
  name          = var.name
  protocol_type = "HTTP"
}

# Callers sign their requests; there is no way in without.
resource "aws_apigatewayv2_route" "lock" {
  for_each = toset(local.routes)

  api_id             = aws_apigatewayv2_api.lock.id
  route_key          = each.value
  authorization_type = "AWS_IAM"
  target             = "integrations/${aws_apigatewayv2_integration.lock.id}"
}

resource "aws_apigatewayv2_integration" "lock" {
  api_id                 = aws_apigatewayv2_api.lock.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_function.lock.invoke_arn
  payload_format_version = "2.0"
}

resource "aws_apigatewayv2_stage" "default" {
  api_id      = aws_apigatewayv2_api.lock.id
  name        = "$default"
  auto_deploy = true
}

resource "aws_lambda_permission" "api" {
  for_each = toset(local.routes)

  function_name = aws_lambda_function.lock.function_name
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.lock.execution_arn}/*/${replace(each.value, " ", "")}"
}
