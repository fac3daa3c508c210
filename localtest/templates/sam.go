package templates

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// logicalNames are the template's resources by the names that facts have for them.
var logicalNames = map[string]string{
	"LockTable": "table", "LockApi": "api", "LockIntegration": "integration", "JwtAuthorizer": "authorizer", "Topic": "topic",
	"LockFunction": "function.api", "OpsFunction": "function.ops", "SweepFunction": "function.sweep", "HistoryFunction": "function.history",
	"LockRole": "role.lock", "HistoryRole": "role.history", "LockLog": "log.lock", "AccessLog": "log.access",
	"CiPolicy": "policy.ci", "OperatorPolicy": "policy.operator",
}

// logicalName names a resource, or one of its attributes, as facts do.
func logicalName(logical, attribute string) string {
	name, known := logicalNames[logical]
	switch {
	case !known:
		name = "unknown " + logical
	case attribute == "Arn" && strings.HasPrefix(name, "log."):
		return "<" + name + ".arn>:*" // CloudFormation's has it at its end, Terraform's not
	case attribute == "Arn":
		name += ".arn"
	case attribute == "StreamArn":
		name += ".stream"
	case attribute != "":
		name += "." + attribute
	}
	return "<" + name + ">"
}

// executionARN is how the template spells what Terraform has an attribute for.
const executionARN = "arn:<partition>:execute-api:<region>:<accountid>:<api>"

// SAM gives the facts of template.yaml for settings, by the names of its
// parameters.
func SAM(source []byte, settings map[string]string) (Facts, error) {
	t, err := readTemplate(source, settings, logicalName)
	if err != nil {
		return nil, err
	}
	f := Facts{}
	for name, value := range t.defaults {
		f["setting."+snake(name)+".default"] = value
	}
	for logical, r := range t.resources {
		name := strings.Trim(logicalName(logical, ""), "<>")
		p := r.properties
		switch r.kind {
		case "AWS::DynamoDB::Table":
			f.samTable(name, r)
		case "AWS::Serverless::Function":
			f.samFunction(name, merged(at(t.globals, "Function"), p))
		case "AWS::IAM::Role":
			f.samRole(name, p)
		case "AWS::IAM::Policy":
			for _, role := range list(p["Roles"]) {
				f.grant(strings.Trim(role, "<>"), samStatements(p["PolicyDocument"]))
			}
		case "AWS::IAM::ManagedPolicy":
			f.grant(name, samStatements(p["PolicyDocument"]))
		case "AWS::ApiGatewayV2::Route":
			f.set("route."+text(p["RouteKey"]), p["AuthorizationType"])
			f.set("route."+text(p["RouteKey"])+".target", p["Target"])
			f.set("route."+text(p["RouteKey"])+".authorizer", p["AuthorizerId"])
		case "AWS::ApiGatewayV2::Api":
			f.set(name+".protocol", p["ProtocolType"])
		case "AWS::ApiGatewayV2::Integration":
			f.set(name+".type", p["IntegrationType"])
			f.set(name+".function", p["IntegrationUri"])
			f.set(name+".payload", p["PayloadFormatVersion"])
			f.set(name+".timeout", p["TimeoutInMillis"])
		case "AWS::ApiGatewayV2::Stage":
			f.set("stage.name", p["StageName"])
			f.set("stage.auto", p["AutoDeploy"])
			f.set("stage.rate", at(p, "DefaultRouteSettings", "ThrottlingRateLimit"))
			f.set("stage.burst", at(p, "DefaultRouteSettings", "ThrottlingBurstLimit"))
			f.set("stage.log", strings.TrimSuffix(text(at(p, "AccessLogSettings", "DestinationArn")), ":*"))
			f.set("stage.format", canonical(text(at(p, "AccessLogSettings", "Format"))))
		case "AWS::ApiGatewayV2::Authorizer":
			f.set(name+".type", p["AuthorizerType"])
			f.set(name+".source", p["IdentitySource"])
			f.set(name+".issuer", at(p, "JwtConfiguration", "Issuer"))
			f.set(name+".audience", at(p, "JwtConfiguration", "Audience"))
		case "AWS::Lambda::Permission":
			f.set("invoke."+strings.Trim(text(p["FunctionName"]), "<>")+"."+text(p["Principal"]),
				text(p["Action"])+" from "+strings.ReplaceAll(text(p["SourceArn"]), executionARN, "<api.arn>"))
		case "AWS::Logs::LogGroup":
			f.set(name+".retention", p["RetentionInDays"])
			f.set(name+".kept", r.attributes["DeletionPolicy"] == "Retain" && r.attributes["UpdateReplacePolicy"] == "Retain")
		case "AWS::SNS::Topic":
			f.set(name+".encrypted", p["KmsMasterKeyId"] != nil)
		case "AWS::CloudWatch::Alarm":
			f.samAlarm("alarm."+kebab(strings.TrimSuffix(logical, "Alarm")), p)
		case "AWS::CloudWatch::Dashboard":
			f.set("dashboard", canonical(text(p["DashboardBody"])))
		default:
			return nil, fmt.Errorf("%s: resources of type %s are not read", logical, r.kind)
		}
	}
	return f, nil
}

func (f Facts) samTable(name string, r resource) {
	p := r.properties
	for _, a := range each(p["AttributeDefinitions"]) {
		f.set(name+".attribute."+text(at(a, "AttributeName")), at(a, "AttributeType"))
	}
	f.set(name+".keys", samKeys(p["KeySchema"]))
	for _, index := range each(p["GlobalSecondaryIndexes"]) {
		f.set(name+".index."+text(at(index, "IndexName")), samKeys(at(index, "KeySchema"))+" "+text(at(index, "Projection", "ProjectionType")))
	}
	f.set(name+".billing", p["BillingMode"])
	f.set(name+".protected", p["DeletionProtectionEnabled"])
	f.set(name+".recovery", at(p, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled"))
	f.set(name+".encrypted", at(p, "SSESpecification", "SSEEnabled"))
	f.set(name+".key", at(p, "SSESpecification", "KMSMasterKeyId"))
	f.set(name+".stream", at(p, "StreamSpecification", "StreamViewType"))
	f.set(name+".ttl", text(at(p, "TimeToLiveSpecification", "AttributeName"))+" "+text(at(p, "TimeToLiveSpecification", "Enabled")))
}

func samKeys(schema any) string {
	var keys []string
	for _, k := range each(schema) {
		keys = append(keys, text(at(k, "AttributeName"))+" "+text(at(k, "KeyType")))
	}
	return strings.Join(keys, ", ")
}

func (f Facts) samFunction(name string, p map[string]any) {
	for fact, property := range map[string]string{
		"handler": "Handler", "runtime": "Runtime", "architectures": "Architectures", "memory": "MemorySize",
		"timeout": "Timeout", "role": "Role", "tracing": "Tracing",
	} {
		f.set(name+"."+fact, p[property])
	}
	f.set(name+".log", at(p, "LoggingConfig", "LogGroup"))
	f.set(name+".log.format", at(p, "LoggingConfig", "LogFormat"))
	for variable, value := range object(at(p, "Environment", "Variables")) {
		f.set(name+".env."+variable, value)
	}
	if config := p["EventInvokeConfig"]; config != nil {
		f.set(name+".async.retries", at(config, "MaximumRetryAttempts"))
		f.set(name+".async.age", at(config, "MaximumEventAgeInSeconds"))
	}
	for _, event := range object(p["Events"]) {
		e := at(event, "Properties")
		switch kind := text(at(event, "Type")); kind {
		case "Schedule": // SAM makes the rule, and lets it invoke the function
			f.set(name+".schedule", at(e, "Schedule"))
			f.set("invoke."+name+".events.amazonaws.com", "lambda:InvokeFunction from <schedule>")
		case "DynamoDB":
			f.set(name+".source", at(e, "Stream"))
			f.set(name+".source.start", at(e, "StartingPosition"))
			f.set(name+".source.batch", at(e, "BatchSize"))
			f.set(name+".source.bisect", at(e, "BisectBatchOnFunctionError"))
			f.set(name+".source.response", at(e, "FunctionResponseTypes"))
			for _, filter := range each(at(e, "FilterCriteria", "Filters")) {
				f.set(name+".source.filter", canonical(text(at(filter, "Pattern"))))
			}
		default:
			f.set(name+".event."+kind, e)
		}
	}
}

func (f Facts) samRole(name string, p map[string]any) {
	for _, s := range each(at(p, "AssumeRolePolicyDocument", "Statement")) {
		f.set(name+".trusts", text(at(s, "Principal", "Service"))+" "+text(at(s, "Action")))
	}
	f.set(name+".managed", p["ManagedPolicyArns"])
	for _, policy := range each(p["Policies"]) {
		f.grant(name, samStatements(at(policy, "PolicyDocument")))
	}
}

func samStatements(document any) []statement {
	var all []statement
	for _, s := range each(at(document, "Statement")) {
		var on []string
		for _, r := range list(at(s, "Resource")) {
			on = append(on, strings.ReplaceAll(r, executionARN, "<api.arn>"))
		}
		read := statement{actions: list(at(s, "Action")), resources: on}
		for test, variables := range object(at(s, "Condition")) {
			for variable, value := range object(variables) {
				read.condition = test + " " + variable + " " + text(value)
			}
		}
		if at(s, "Effect") != "Allow" {
			read.actions = []string{text(at(s, "Effect")) + " " + text(at(s, "Action"))}
		}
		all = append(all, read)
	}
	return all
}

func (f Facts) samAlarm(name string, p map[string]any) {
	for fact, property := range map[string]string{
		"description": "AlarmDescription", "namespace": "Namespace", "metric": "MetricName", "statistic": "Statistic",
		"period": "Period", "periods": "EvaluationPeriods", "threshold": "Threshold", "comparison": "ComparisonOperator",
		"missing": "TreatMissingData", "alarm": "AlarmActions", "ok": "OKActions",
	} {
		f.set(name+"."+fact, p[property])
	}
	for _, d := range each(p["Dimensions"]) {
		f.set(name+".dimension."+text(at(d, "Name")), at(d, "Value"))
	}
}

// merged puts a function's own properties over the globals: of two mappings, the
// members of both.
func merged(global any, own map[string]any) map[string]any {
	all := maps.Clone(object(global))
	for name, value := range own {
		if both := object(all[name]); both != nil && object(value) != nil {
			value = merged(both, object(value))
		}
		all[name] = value
	}
	return all
}

// words splits a name such as DefaultLeaseSeconds.
func words(name string) []string {
	starts := slices.Collect(func(yield func(int) bool) {
		for i, r := range name {
			if r >= 'A' && r <= 'Z' && !yield(i) {
				return
			}
		}
	})
	var all []string
	for n, start := range starts {
		end := len(name)
		if n+1 < len(starts) {
			end = starts[n+1]
		}
		all = append(all, strings.ToLower(name[start:end]))
	}
	return all
}

func snake(name string) string { return strings.Join(words(name), "_") }
func kebab(name string) string { return strings.Join(words(name), "-") }
