package templates

import (
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

func TestTableIsTheStores(t *testing.T) {
	t.Parallel()
	// What makes a table work for the store; the rest is the deployment's.
	working := func(in *dynamodb.CreateTableInput) *dynamodb.CreateTableInput {
		return &dynamodb.CreateTableInput{
			BillingMode:            in.BillingMode,
			AttributeDefinitions:   in.AttributeDefinitions,
			KeySchema:              in.KeySchema,
			GlobalSecondaryIndexes: in.GlobalSecondaryIndexes,
			LocalSecondaryIndexes:  in.LocalSecondaryIndexes,
		}
	}
	want, got := working(ddbstore.TableInput("any")), working(readSAM(t).table(t))
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(dynamodb.CreateTableInput{},
		types.AttributeDefinition{}, types.KeySchemaElement{}, types.GlobalSecondaryIndex{}, types.Projection{})); diff != "" {
		t.Errorf("template.yaml's table (-store +template):\n%s", diff)
	}
}

// The locks must outlive a mistaken deletion of the stack.
func TestTableIsSafeFromDeletion(t *testing.T) {
	t.Parallel()
	table := readSAM(t).Resources.LockTable
	if table.DeletionPolicy != "Retain" || table.UpdateReplacePolicy != "Retain" {
		t.Errorf("deletion policy %q, update-replace policy %q; want Retain for both", table.DeletionPolicy, table.UpdateReplacePolicy)
	}
	if table.Properties["DeletionProtectionEnabled"] != true {
		t.Error("the table has no deletion protection")
	}
}

func TestRoutesAreTheAPIs(t *testing.T) {
	t.Parallel()
	want := map[string]bool{"GET /v1/locks": true, "GET /v1/locks/{ws+}": true, "GET /v1/history/{ws+}": true}
	for _, op := range lockmodel.Ops() {
		if op.TakesState() {
			continue
		}
		want["POST "+lockapi.Path(op)] = true
	}
	sam := readSAM(t)
	if diff := cmp.Diff(want, sam.routes()); diff != "" {
		t.Errorf("template.yaml's routes (-program +template):\n%s", diff)
	}
	if diff := cmp.Diff(want, quoted(t, "../../infra/api.tf", `(?:GET|POST) /[^"]*`)); diff != "" {
		t.Errorf("infra's routes (-program +module):\n%s", diff)
	}
	if got := sam.Resources.LockAPI.Properties.Auth.DefaultAuthorizer; got != "AWS_IAM" {
		t.Errorf("template.yaml's routes are authorized by %q, want AWS_IAM", got)
	}
}

// Lapsed leases are looked for every minute, by both deployments.
func TestSweepIsScheduled(t *testing.T) {
	t.Parallel()
	want := map[string]bool{"rate(1 minute)": true}
	if diff := cmp.Diff(want, readSAM(t).schedules()); diff != "" {
		t.Errorf("template.yaml's schedules (-want +template):\n%s", diff)
	}
	if diff := cmp.Diff(want, quoted(t, "../../infra/sweep.tf", `rate\([^"]*\)`)); diff != "" {
		t.Errorf("infra's schedules (-want +module):\n%s", diff)
	}
}

// The indexes that the store reads are those that the role may read.
func TestRoleReadsTheIndexes(t *testing.T) {
	t.Parallel()
	want := map[string]bool{}
	for _, index := range ddbstore.TableInput("any").GlobalSecondaryIndexes {
		want[*index.IndexName] = true
	}
	for _, file := range []string{"../../template.yaml", "../../infra/function.tf"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, match := range regexp.MustCompile(`/index/(\w+)"`).FindAllSubmatch(data, -1) {
			got[string(match[1])] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: indexes that the role may read (-store +role):\n%s", file, diff)
		}
	}
}

// Whoever records history may write, read the stream and log, and no more.
func TestHistoryRole(t *testing.T) {
	t.Parallel()
	want := map[string]bool{
		"dynamodb:DescribeStream": true, "dynamodb:GetRecords": true, "dynamodb:GetShardIterator": true, "dynamodb:ListStreams": true,
	}
	for method := range reflect.TypeFor[ddbstore.RecorderClient]().Methods() {
		want["dynamodb:"+method.Name] = true
	}
	if diff := cmp.Diff(want, quoted(t, "../../infra/history.tf", `dynamodb:[A-Za-z*]+`)); diff != "" {
		t.Errorf("infra's role (-program +module):\n%s", diff)
	}
	want["logs:CreateLogStream"], want["logs:PutLogEvents"] = true, true
	if diff := cmp.Diff(want, readSAM(t).Resources.HistoryRole.actions()); diff != "" {
		t.Errorf("template.yaml's role (-program +template):\n%s", diff)
	}
}

// The role may make the calls that the store makes, write its log, and no more.
func TestRoleAllowsWhatTheStoreDoes(t *testing.T) {
	t.Parallel()
	want := map[string]bool{"logs:CreateLogStream": true, "logs:PutLogEvents": true}
	for method := range reflect.TypeFor[ddbstore.Client]().Methods() {
		want["dynamodb:"+method.Name] = true
	}
	sam := readSAM(t)
	if diff := cmp.Diff(want, sam.Resources.LockRole.actions()); diff != "" {
		t.Errorf("template.yaml's role (-program +template):\n%s", diff)
	}
	if managed := sam.Resources.LockRole.Properties.ManagedPolicyArns; len(managed) > 0 {
		t.Errorf("template.yaml's role has managed policies %v", managed)
	}
	if diff := cmp.Diff(want, quoted(t, "../../infra/function.tf", `(?:dynamodb|logs):[A-Za-z*]+`)); diff != "" {
		t.Errorf("infra's role (-program +module):\n%s", diff)
	}
}

// quoted are the strings in a file that match a pattern as a whole.
func quoted(t *testing.T, file, pattern string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(`"(`+pattern+`)"`).FindAllSubmatch(data, -1) {
		found[string(match[1])] = true
	}
	return found
}
