package templates_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/statelock/statelock/localtest/templates"
)

const (
	templateFile = "../../template.yaml"
	moduleFolder = "../../infra"
)

// definitions reads both, the module as a copy that a test can break.
func definitions(t *testing.T) ([]byte, fstest.MapFS) {
	t.Helper()
	template, err := os.ReadFile(templateFile)
	if err != nil {
		t.Fatal(err)
	}
	module := fstest.MapFS{}
	folder := os.DirFS(moduleFolder)
	paths, err := fs.Glob(folder, "*.tf")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		source, err := fs.ReadFile(folder, path)
		if err != nil {
			t.Fatal(err)
		}
		module[path] = &fstest.MapFile{Data: source}
	}
	return template, module
}

func TestDeploymentsAgree(t *testing.T) {
	t.Parallel()
	template, module := definitions(t)
	for _, problem := range templates.Check(template, module) {
		t.Error(problem)
	}
}

// The locks must outlive a mistaken deletion of the stack.
func TestTableIsRetained(t *testing.T) {
	t.Parallel()
	template, _ := definitions(t)
	_, table, _ := bytes.Cut(template, []byte("\n  LockTable:\n"))
	table, _, _ = bytes.Cut(table, []byte("\n    Properties:"))
	for _, policy := range []string{"DeletionPolicy: Retain", "UpdateReplacePolicy: Retain"} {
		if !bytes.Contains(table, []byte("    "+policy)) {
			t.Errorf("the table of template.yaml has no %s", policy)
		}
	}
}

// TestDriftIsFound breaks one definition at a time, and has the check name what
// is broken.
func TestDriftIsFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		file     string // of the module; "" for the template
		old, new string
		found    string
	}{
		{"an action that the code doesn't use", "", "dynamodb:GetItem, dynamodb:PutItem", "dynamodb:DeleteItem, dynamodb:GetItem, dynamodb:PutItem", "role.lock.allow.dynamodb:DeleteItem"},
		{"an action that is missing", "roles.tf", `"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"`, `"dynamodb:GetItem", "dynamodb:PutItem"`, "role.lock.allow.dynamodb:UpdateItem"},
		{"all actions", "roles.tf", `actions   = ["dynamodb:PutItem"]`, `actions   = ["dynamodb:*"]`, "role.history.allow.dynamodb:*"},
		{"any table", "", "Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem]\n                Resource: !GetAtt LockTable.Arn", "Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem]\n                Resource: \"*\"", `role.lock.allow.dynamodb:GetItem: "<table.arn>", and "*"`},
		{"an index less to read", "roles.tf", `      "${aws_dynamodb_table.lock.arn}/index/by_lease",`, "", "role.lock.allow.dynamodb:Query"},
		{"a denied action", "roles.tf", `    resources = [aws_sns_topic.lock.arn]`, `    effect = "Deny"` + "\n" + `    resources = [aws_sns_topic.lock.arn]`, "role.history.allow.sns:Publish"},
		{"an alarm less", "", "  StaleTooLongAlarm:\n    Type: AWS::CloudWatch::Alarm", "  StaleTooLongAlarm:\n    Condition: OwnKey\n    Type: AWS::CloudWatch::Alarm", "alarm.stale-too-long.threshold"},
		{"an alarm that nobody hears", "alarms.tf", "  alarm_actions       = [aws_sns_topic.lock.arn]", "", "alarm.server-errors tells nobody"},
		{"another threshold", "alarms.tf", "threshold   = 600000", "threshold   = 6000000", "alarm.history-lag.threshold"},
		{"another index", "table.tf", `attribute_name = "lease_until"`, `attribute_name = "ws"`, "table.index.by_lease"},
		{"an index that is not whole", "", "Projection: { ProjectionType: ALL }", "Projection: { ProjectionType: KEYS_ONLY }", "table.index.by_state"},
		{"another key", "table.tf", `range_key    = "sk"`, `range_key    = "st"`, "table.keys"},
		{"a route less", "api.tf", `    "POST /v1/restore",`, "", "route.POST /v1/restore"},
		{"a route that API Gateway has not", "api.tf", `"POST /v1/tf-lock/{ws+}"`, `"LOCK /v1/tf/{ws+}"`, "route.LOCK /v1/tf/{ws+}"},
		{"a route without a guard", "", "      RouteKey: \"POST /v1/force-unlock\"\n      Target: !Sub \"integrations/${LockIntegration}\"\n      AuthorizationType: !If [UseJwt, JWT, AWS_IAM]", "      RouteKey: \"POST /v1/force-unlock\"\n      Target: !Sub \"integrations/${LockIntegration}\"\n      AuthorizationType: NONE", "route.POST /v1/force-unlock"},
		{"routes without the JWT", "api.tf", `local.use_jwt ? "JWT" : "AWS_IAM"`, `"AWS_IAM"`, "route.POST /v1/acquire"},
		{"CI that forces", "policies.tf", `    "POST/v1/release",`, `    "POST/v1/release",` + "\n" + `    "POST/v1/force-unlock",`, "policy.ci.POST/v1/force-unlock"},
		{"CI that sends commands", "policies.tf", `    resources = [aws_lambda_function.ops.arn]`, `    resources = [aws_lambda_function.api.arn]`, "policy.operator.<function.api.arn>"},
		{"a function that takes too long", "function.tf", "timeout = 15", "timeout = 29", "not well under"},
		{"a gateway that gives up early", "", "TimeoutInMillis: 30000", "TimeoutInMillis: 20000", "not well under"},
		{"another setting", "function.tf", "STATELOCK_NOTICE        = ", "STATELOCK_NOTISE        = ", "function.api.env.STATELOCK_NOTISE"},
		{"a setting that does nothing", "function.tf", `STATELOCK_REQUIRE_LOCK  = tostring(var.require_lock)`, `STATELOCK_REQUIRE_LOCK  = "false"`, "with everything set: function.api.env.STATELOCK_REQUIRE_LOCK"},
		{"another default", "", "    Default: 50", "    Default: 49", "setting.keep_versions.default"},
		{"a function that serves more", "sweep.tf", `STATELOCK_SERVES = "sweep"`, `STATELOCK_SERVES = "ops"`, `function.sweep serves "ops"`},
		{"no sweep", "sweep.tf", "rate(1 minute)", "rate(1 hour)", "function.sweep.schedule"},
		{"logs for ever", "function.tf", "  retention_in_days = var.log_retention_days", "", "log.lock.retention"},
		{"logs that go", "api.tf", "  skip_destroy      = true", "", "log.access goes with the deployment"},
		{"another dashboard", "dashboard.tf", `"RefusedStateWrites"`, `"RefusedWrites"`, "dashboard"},
		{"a table that can be deleted", "", "DeletionProtectionEnabled: true", "DeletionProtectionEnabled: false", "table.protected"},
		{"no recovery", "table.tf", "  point_in_time_recovery {\n    enabled = true", "  point_in_time_recovery {\n    enabled = false", "table.recovery"},
		{"a key that is not used", "table.tf", `kms_key_arn = var.kms_key_arn == "" ? null : var.kms_key_arn`, "", "table.key"},
		{"no throttling", "api.tf", "    throttling_rate_limit  = var.throttle_rate", "", "stage.rate"},
		{"whoever invokes", "api.tf", `principal     = "apigateway.amazonaws.com"`, `principal     = "*"`, "function.api.* may invoke a function"},
		{"a resource of a new kind", "table.tf", "# The locks.\n", "resource \"aws_sqs_queue\" \"q\" {}\n", "resources of this type are not read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			template, module := definitions(t)
			broken := func(source []byte) []byte {
				if !bytes.Contains(source, []byte(test.old)) {
					t.Fatalf("%s has no %q to break", test.file, test.old)
				}
				return bytes.Replace(source, []byte(test.old), []byte(test.new), 1)
			}
			if test.file == "" {
				template = broken(template)
			} else {
				module[test.file] = &fstest.MapFile{Data: broken(module[test.file].Data)}
			}
			problems := templates.Check(template, module)
			if all := strings.Join(problems, "\n"); !strings.Contains(all, test.found) {
				t.Errorf("%s is not in what was found:\n%s", test.found, all)
			}
		})
	}
}
