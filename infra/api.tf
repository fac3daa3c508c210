locals {
  # One route per operation, so that IAM can grant each by itself. Callers sign
  # their requests, or bring JWTs.
  signed_routes = [
    "POST /v1/acquire",
    "POST /v1/renew",
    "POST /v1/release",
    "POST /v1/mark-stale",
    "POST /v1/force-unlock",
    "GET /v1/locks",
    "GET /v1/locks/{ws+}",
    "GET /v1/history/{ws+}",
    "GET /v1/versions/{ws+}",
    "POST /v1/restore",
  ]

  # Terraform and OpenTofu can't sign. The function asks them for a token or a JWT
  # itself. There are no routes for the methods LOCK and UNLOCK: API Gateway has
  # none.
  terraform_routes = [
    "GET /v1/tf/{ws+}",
    "POST /v1/tf/{ws+}",
    "DELETE /v1/tf/{ws+}",
    "POST /v1/tf-lock/{ws+}",
    "DELETE /v1/tf-lock/{ws+}",
  ]

  use_jwt = var.jwt_issuer != ""
}

resource "aws_apigatewayv2_api" "lock" {
  name          = var.name
  protocol_type = "HTTP"
}

resource "aws_apigatewayv2_route" "signed" {
  for_each = toset(local.signed_routes)

  api_id             = aws_apigatewayv2_api.lock.id
  route_key          = each.value
  target             = "integrations/${aws_apigatewayv2_integration.lock.id}"
  authorization_type = local.use_jwt ? "JWT" : "AWS_IAM"
  authorizer_id      = local.use_jwt ? aws_apigatewayv2_authorizer.jwt[0].id : null
}

resource "aws_apigatewayv2_route" "terraform" {
  for_each = toset(local.terraform_routes)

  api_id             = aws_apigatewayv2_api.lock.id
  route_key          = each.value
  target             = "integrations/${aws_apigatewayv2_integration.lock.id}"
  authorization_type = "NONE"
}

# Lets in who brings a JWT of the issuer; what it allows, the function decides.
resource "aws_apigatewayv2_authorizer" "jwt" {
  count = local.use_jwt ? 1 : 0

  api_id           = aws_apigatewayv2_api.lock.id
  name             = "jwt"
  authorizer_type  = "JWT"
  identity_sources = ["$request.header.Authorization"]

  jwt_configuration {
    issuer   = var.jwt_issuer
    audience = [var.jwt_audience]
  }
}

resource "aws_apigatewayv2_integration" "lock" {
  api_id                 = aws_apigatewayv2_api.lock.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_function.api.invoke_arn
  payload_format_version = "2.0"
  timeout_milliseconds   = 30000
}

resource "aws_apigatewayv2_stage" "default" {
  api_id      = aws_apigatewayv2_api.lock.id
  name        = "$default"
  auto_deploy = true

  default_route_settings {
    throttling_rate_limit  = var.throttle_rate
    throttling_burst_limit = var.throttle_burst
  }

  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.access.arn

    # No query and no header: credentials and lock ids are in them.
    format = jsonencode({
      requestId        = "$context.requestId"
      time             = "$context.requestTime"
      sourceIp         = "$context.identity.sourceIp"
      userArn          = "$context.identity.userArn"
      method           = "$context.httpMethod"
      route            = "$context.routeKey"
      path             = "$context.path"
      status           = "$context.status"
      latency          = "$context.responseLatency"
      bytes            = "$context.responseLength"
      error            = "$context.error.message"
      integrationError = "$context.integrationErrorMessage"
    })
  }
}

resource "aws_cloudwatch_log_group" "access" {
  name              = "/statelock/${var.name}/access"
  retention_in_days = var.log_retention_days
  skip_destroy      = true
}

resource "aws_lambda_permission" "api" {
  function_name = aws_lambda_function.api.function_name
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.lock.execution_arn}/*/*"
}
