package templates_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/templates"
)

// What exists has physical names; the facts have those of the template.
func TestStack(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/s-LockTable-X"
	got, err := templates.Stack([]byte(`{
		"stack": "CREATE_COMPLETE",
		"ids": {"LockTable": "s-LockTable-X", "LockRole": "s-LockRole-Y", "LockFunction": "s-LockFunction-Z", "LockLog": "s-LockLog-L", "": ""},
		"tables": [{
			"TableName": "s-LockTable-X", "TableArn": "` + arn + `", "LatestStreamArn": "` + arn + `/stream/2026",
			"AttributeDefinitions": [{"AttributeName": "ws", "AttributeType": "S"}],
			"KeySchema": [{"AttributeName": "ws", "KeyType": "HASH"}],
			"StreamSpecification": {"StreamViewType": "KEYS_ONLY"}, "DeletionProtectionEnabled": true
		}],
		"functions": [{
			"arn": "arn:aws:lambda:eu-west-1:123456789012:function:s-LockFunction-Z", "name": "s-LockFunction-Z", "timeout": 15,
			"role": "arn:aws:iam::123456789012:role/s-LockRole-Y", "env": {"STATELOCK_TABLE": "s-LockTable-X"}
		}],
		"roles": [{
			"arn": "arn:aws:iam::123456789012:role/s-LockRole-Y", "name": "s-LockRole-Y",
			"trust": {"Statement": [{"Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]},
			"policies": [{"Statement": [{"Effect": "Allow", "Action": ["dynamodb:Query"], "Resource": ["` + arn + `", "` + arn + `/index/by_state"]}]}]
		}],
		"logs": [{"logGroupName": "s-LockLog-L", "arn": "arn:aws:logs:eu-west-1:123456789012:log-group:s-LockLog-L:*", "retentionInDays": 90}],
		"sources": [{"FunctionArn": "arn:aws:lambda:eu-west-1:123456789012:function:s-LockFunction-Z", "EventSourceArn": "` + arn + `/stream/2026", "BatchSize": 100}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := templates.Facts{
		"table.attribute.ws": "S", "table.keys": "ws HASH", "table.stream": "KEYS_ONLY", "table.protected": "true",
		"function.api.timeout": "15", "function.api.role": "<role.lock.arn>", "function.api.env.STATELOCK_TABLE": "<table>",
		"function.api.source": "<table.stream>", "function.api.source.batch": "100",
		"role.lock.trusts": "lambda.amazonaws.com sts:AssumeRole", "role.lock.allow.dynamodb:Query": "<table.arn>, <table.arn>/index/by_state",
		"log.lock.retention": "90",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if _, err := templates.Stack([]byte(`{"stack": "ROLLBACK_COMPLETE"}`)); err == nil {
		t.Error("a stack that failed is taken for one")
	}
}
