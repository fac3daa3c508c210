package templates

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Unfit lists where a deployment is not what the program needs, or more.
func Unfit(f Facts) []string {
	var problems []string
	compare := func(what string, program, deployed Facts) {
		for _, difference := range Differences(program, deployed) {
			problems = append(problems, "program and deployment differ: "+what+difference)
		}
	}
	compare("table.", tableFacts(), Facts(onlyOf(f.Part("table."), "attribute.", "keys", "index.", "billing")))
	compare("route.", routeFacts(f), routesOf(f))
	compare("role.lock.allow.", allowed(f, reflect.TypeFor[ddbstore.Client](), "<table.arn>", "log.lock"), f.Part("role.lock.allow."))
	compare("role.history.allow.", historyAllowed(f), f.Part("role.history.allow."))
	for policy, operations := range map[string][]lockmodel.Op{
		"ci":       {lockmodel.Acquire, lockmodel.Renew, lockmodel.ReleaseLock},
		"operator": {lockmodel.Acquire, lockmodel.Renew, lockmodel.ReleaseLock, lockmodel.MarkStale, lockmodel.ForceUnlock},
	} {
		compare("policy."+policy+".", grants(policy == "operator", operations), granted(f.Part("policy."+policy+".allow.")))
	}
	return append(problems, unsafe(f)...)
}

// onlyOf keeps the facts of some names.
func onlyOf(f Facts, prefixes ...string) map[string]string {
	kept := map[string]string{}
	for name, value := range f {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			kept[name] = value
		}
	}
	return kept
}

// tableFacts are what makes a table work for the store; the rest is the
// deployment's.
func tableFacts() Facts {
	f, in := Facts{}, ddbstore.TableInput("any")
	keys := func(schema []types.KeySchemaElement) string {
		var all []string
		for _, k := range schema {
			all = append(all, *k.AttributeName+" "+string(k.KeyType))
		}
		return strings.Join(all, ", ")
	}
	for _, a := range in.AttributeDefinitions {
		f["attribute."+*a.AttributeName] = string(a.AttributeType)
	}
	f["keys"], f["billing"] = keys(in.KeySchema), string(in.BillingMode)
	for _, index := range in.GlobalSecondaryIndexes {
		f["index."+*index.IndexName] = keys(index.KeySchema) + " " + string(index.Projection.ProjectionType)
	}
	return f
}

// routeFacts are the program's routes that API Gateway can have, and who guards
// them: the gateway, but for Terraform's.
func routeFacts(deployed Facts) Facts {
	guard := "AWS_IAM"
	if deployed["authorizer.issuer"] != "" {
		guard = "JWT"
	}
	f := Facts{}
	for _, r := range lockapi.Routes() {
		key := r.Method + " " + strings.ReplaceAll(r.Path, "...}", "+}")
		switch {
		case !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}, r.Method):
		case r.Terraform:
			f[key] = "NONE"
		default:
			f[key] = guard
		}
	}
	return f
}

func routesOf(f Facts) Facts {
	routes := f.Part("route.")
	for name := range routes {
		if strings.HasSuffix(name, ".target") || strings.HasSuffix(name, ".authorizer") {
			delete(routes, name)
		}
	}
	return routes
}

// allowed are the actions that a client's methods need on a table, and those on
// a log, and what settings add.
func allowed(f Facts, client reflect.Type, table, log string) Facts {
	actions := Facts{"logs:CreateLogStream": "<" + log + ".arn>:*", "logs:PutLogEvents": "<" + log + ".arn>:*"}
	for method := range client.Methods() {
		actions["dynamodb:"+method.Name] = table
	}
	if _, queries := client.MethodByName("Query"); queries {
		on := []string{table}
		for _, index := range ddbstore.TableInput("any").GlobalSecondaryIndexes {
			on = append(on, table+"/index/"+*index.IndexName)
		}
		slices.Sort(on)
		actions["dynamodb:Query"] = strings.Join(on, ", ")
	}
	if key := f["table.key"]; key != "" {
		for _, action := range []string{"Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey*", "ReEncrypt*"} {
			actions["kms:"+action] = key + " where StringEquals kms:ViaService dynamodb.<region>.amazonaws.com"
		}
	}
	if f["function.api.tracing"] == "Active" {
		actions["xray:PutTelemetryRecords"], actions["xray:PutTraceSegments"] = "*", "*"
	}
	return actions
}

// historyAllowed are the actions of whoever records history: to write, to read
// the stream, to tell the topic.
func historyAllowed(f Facts) Facts {
	actions := allowed(f, reflect.TypeFor[ddbstore.RecorderClient](), "<table.arn>", "log.lock")
	for _, action := range []string{"DescribeStream", "GetRecords", "GetShardIterator"} {
		actions["dynamodb:"+action] = "<table.stream>"
	}
	actions["dynamodb:ListStreams"] = "*"
	actions["sns:Publish"] = "<topic>"
	return actions
}

// grants are the routes that a policy is to open: those that look at locks, and
// some operations. The operator also looks at states, restores them, and sends
// command documents.
func grants(operator bool, operations []lockmodel.Op) Facts {
	f := Facts{}
	for _, r := range lockapi.Routes() {
		state := strings.HasPrefix(r.Path, "/v1/versions/")
		if r.Method == "GET" && !r.Terraform && (operator || !state) {
			f[r.Method+strings.ReplaceAll(r.Path, "{ws...}", "*")] = "may"
		}
	}
	for _, o := range operations {
		f["POST"+lockapi.Path(o)] = "may"
	}
	if operator {
		f["POST/v1/restore"], f["<function.ops.arn>"] = "may", "may"
	}
	return f
}

// granted reads a policy's facts the same way.
func granted(allow Facts) Facts {
	f := Facts{}
	for action, resources := range allow {
		for resource := range strings.SplitSeq(resources, ", ") {
			route, isRoute := strings.CutPrefix(resource, "<api.arn>/*/")
			switch {
			case isRoute && action == "execute-api:Invoke":
				f[route] = "may"
			case !isRoute && action == "lambda:InvokeFunction":
				f[resource] = "may"
			default:
				f[action+" "+resource] = "may"
			}
		}
	}
	return f
}

// margin is by how much the function gives up before the API does.
const margin = 10 * time.Second

// unsafe lists what no linter looks for.
func unsafe(f Facts) []string {
	var problems []string
	milliseconds := func(name string, unit time.Duration) time.Duration {
		n, err := strconv.Atoi(f[name])
		if err != nil || n < 1 {
			problems = append(problems, fmt.Sprintf("%s is %q, no number", name, f[name]))
		}
		return time.Duration(n) * unit
	}
	function, gateway := milliseconds("function.api.timeout", time.Second), milliseconds("integration.timeout", time.Millisecond)
	if function > gateway-margin {
		problems = append(problems, fmt.Sprintf("the function has %s, which is not well under the %s of the API", function, gateway))
	}
	if sweep := milliseconds("function.sweep.timeout", time.Second); sweep >= time.Minute {
		problems = append(problems, "a sweep may last until the next one")
	}
	for name, want := range map[string]string{
		"table.protected": "true", "table.recovery": "true", "table.encrypted": "true", "table.ttl": "expires_at true",
		"table.stream": "NEW_AND_OLD_IMAGES", "function.history.source": "<table.stream>",
		"function.sweep.schedule": "rate(1 minute)", "integration.function": "<function.api.arn>",
		"role.lock.trusts": "lambda.amazonaws.com sts:AssumeRole", "role.history.trusts": "lambda.amazonaws.com sts:AssumeRole",
		"role.lock.managed": "", "role.history.managed": "",
	} {
		if f[name] != want {
			problems = append(problems, fmt.Sprintf("%s is %q, want %q", name, f[name], want))
		}
	}
	for _, function := range []string{"api", "ops", "sweep", "history"} {
		if serves := f["function."+function+".env.STATELOCK_SERVES"]; serves != function {
			problems = append(problems, fmt.Sprintf("function.%s serves %q", function, serves))
		}
		milliseconds("alarm."+function+"-errors.threshold", 1)
	}
	for _, alarm := range []string{"server-errors", "api-throttles", "table-throttles", "stale-too-long", "refused-state-write", "sweep-missing", "history-lag"} {
		milliseconds("alarm."+alarm+".threshold", 1)
		if f["alarm."+alarm+".alarm"] != `["<topic>"]` {
			problems = append(problems, "alarm."+alarm+" tells nobody")
		}
	}
	for _, log := range []string{"lock", "access"} {
		milliseconds("log."+log+".retention", 1)
		if f["log."+log+".kept"] != "true" {
			problems = append(problems, "log."+log+" goes with the deployment")
		}
	}
	for name, target := range f.Part("route.") {
		if strings.HasSuffix(name, ".target") && target != "integrations/<integration>" {
			problems = append(problems, name+" is "+target)
		}
	}
	for invoke := range f.Part("invoke.") {
		if invoke != "function.api.apigateway.amazonaws.com" && invoke != "function.sweep.events.amazonaws.com" {
			problems = append(problems, invoke+" may invoke a function")
		}
	}
	return problems
}
