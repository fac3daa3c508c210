locals {
  ci_requests = [
    "POST/v1/acquire",
    "POST/v1/renew",
    "POST/v1/release",
    "GET/v1/locks",
    "GET/v1/locks/*",
    "GET/v1/history/*",
  ]

  operator_requests = concat(local.ci_requests, [
    "GET/v1/versions/*",
    "POST/v1/mark-stale",
    "POST/v1/force-unlock",
    "POST/v1/restore",
  ])
}

# What CI jobs need: they take, renew, free and see locks, and can't take
# another's away. States are secret, and IAM knows no workspaces: jobs read theirs
# by Terraform's routes.
resource "aws_iam_policy" "ci" {
  name_prefix = "${var.name}-ci-"
  policy      = data.aws_iam_policy_document.ci.json
}

data "aws_iam_policy_document" "ci" {
  statement {
    actions   = ["execute-api:Invoke"]
    resources = [for request in local.ci_requests : "${aws_apigatewayv2_api.lock.execution_arn}/*/${request}"]
  }
}

# What operators need on top: to take a lock away from a runner that is gone, to
# look at versions of a state and bring one back, and commands by direct invoke.
resource "aws_iam_policy" "operator" {
  name_prefix = "${var.name}-operator-"
  policy      = data.aws_iam_policy_document.operator.json
}

data "aws_iam_policy_document" "operator" {
  statement {
    actions   = ["execute-api:Invoke"]
    resources = [for request in local.operator_requests : "${aws_apigatewayv2_api.lock.execution_arn}/*/${request}"]
  }

  statement {
    actions   = ["lambda:InvokeFunction"]
    resources = [aws_lambda_function.ops.arn]
  }
}
