# What a plan makes of the module: terraform -chdir=infra test.

variables {
  package = "../build/lock.zip"
}

run "by_default" {
  command = plan

  assert {
    condition     = aws_dynamodb_table.lock.deletion_protection_enabled
    error_message = "The table can be deleted."
  }

  assert {
    condition     = aws_lambda_function.api.timeout * 1000 + 10000 <= aws_apigatewayv2_integration.lock.timeout_milliseconds
    error_message = "The function does not end well before the API gives up."
  }

  assert {
    condition     = alltrue([for route in aws_apigatewayv2_route.signed : route.authorization_type == "AWS_IAM"])
    error_message = "A route is open to everybody."
  }

  assert {
    condition     = length(aws_apigatewayv2_authorizer.jwt) == 0 && length(aws_iam_role_policy.key) == 0 && length(aws_iam_role_policy.trace) == 0
    error_message = "There is what nobody asked for."
  }

  assert {
    condition     = length(aws_cloudwatch_metric_alarm.lock) == 11
    error_message = "An alarm is missing."
  }

  assert {
    condition     = alltrue([for statement in concat(data.aws_iam_policy_document.locks.statement, data.aws_iam_policy_document.history.statement) : !contains(statement.actions, "dynamodb:DeleteItem")])
    error_message = "A function may delete."
  }
}

run "with_jwts_a_key_and_traces" {
  command = plan

  variables {
    jwt_issuer  = "https://token.actions.githubusercontent.com"
    issuers     = jsonencode([{ issuer = "https://token.actions.githubusercontent.com", audience = "statelock", rules = [{ claims = { repository = "acme/infra" }, workspaces = ["acme/**"] }] }])
    kms_key_arn = "arn:aws:kms:eu-west-1:111122223333:key/00000000-0000-4000-8000-000000000001"
    tracing     = "Active"
  }

  assert {
    condition     = alltrue([for route in aws_apigatewayv2_route.signed : route.authorization_type == "JWT"])
    error_message = "A route takes no JWT."
  }

  assert {
    condition     = one(aws_dynamodb_table.lock.server_side_encryption).kms_key_arn == var.kms_key_arn && length(aws_iam_role_policy.key) == 2
    error_message = "The key is not used."
  }

  assert {
    condition     = length(aws_iam_role_policy.trace) == 2
    error_message = "The functions may not trace."
  }
}

run "no_jwts_without_rules" {
  command = plan

  variables {
    jwt_issuer = "https://token.actions.githubusercontent.com"
    issuers    = jsonencode([{ issuer = "https://gitlab.example.com" }])
  }

  expect_failures = [var.jwt_issuer]
}

run "no_jwts_for_another_audience" {
  command = plan

  variables {
    jwt_issuer   = "https://gitlab.example.com"
    jwt_audience = "locks"
    issuers      = jsonencode([{ issuer = "https://gitlab.example.com", audience = "statelock" }, { issuer = "https://token.actions.githubusercontent.com", audience = "locks" }])
  }

  expect_failures = [var.jwt_issuer]
}

run "no_settings_that_the_function_refuses" {
  command = plan

  variables {
    name                    = "no"
    max_lease_seconds       = 4
    notice_seconds          = -1
    max_hold_seconds        = -1
    clock_skew_milliseconds = -1
    keep_history_hours      = 0
    max_state_bytes         = 0
    keep_versions           = 0
    issuers                 = "[{"
    log_retention_days      = 2
    tracing                 = "active"
  }

  expect_failures = [
    var.name, var.max_lease_seconds, var.notice_seconds, var.max_hold_seconds, var.clock_skew_milliseconds,
    var.keep_history_hours, var.max_state_bytes, var.keep_versions, var.issuers, var.log_retention_days, var.tracing,
  ]
}

# The default lease is checked against others, and only where those are right.
run "no_default_lease_that_is_too_short" {
  command = plan

  variables {
    default_lease_seconds = 3
  }

  expect_failures = [var.default_lease_seconds]
}

run "no_default_lease_beyond_the_longest" {
  command = plan

  variables {
    default_lease_seconds = 601
    max_lease_seconds     = 600
  }

  expect_failures = [var.default_lease_seconds]
}

run "no_default_lease_beyond_a_hold" {
  command = plan

  variables {
    default_lease_seconds = 601
    max_hold_seconds      = 600
  }

  expect_failures = [var.default_lease_seconds]
}

run "no_default_lease_of_a_fraction" {
  command = plan

  variables {
    default_lease_seconds = 60.5
  }

  expect_failures = [var.default_lease_seconds]
}

run "as_long_a_default_lease_as_can_be" {
  command = plan

  variables {
    default_lease_seconds = 600
    max_lease_seconds     = 600
    max_hold_seconds      = 600
  }

  assert {
    condition     = one(aws_lambda_function.api.environment).variables.STATELOCK_DEFAULT_LEASE == "600s"
    error_message = "It is not the function's."
  }
}

run "no_fractions" {
  command = plan

  variables {
    max_lease_seconds       = 600.5
    notice_seconds          = 0.5
    max_hold_seconds        = 600.5
    clock_skew_milliseconds = 0.5
    keep_history_hours      = 1.5
    max_state_bytes         = 1.5
    keep_versions           = 1.5
    throttle_burst          = 1.5
    stale_alarm_seconds     = 60.5
  }

  expect_failures = [
    var.max_lease_seconds, var.notice_seconds, var.max_hold_seconds, var.clock_skew_milliseconds, var.keep_history_hours,
    var.max_state_bytes, var.keep_versions, var.throttle_burst, var.stale_alarm_seconds,
  ]
}
