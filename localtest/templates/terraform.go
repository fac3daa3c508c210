package templates

import (
	"fmt"
	"io/fs"
	"strings"
)

// addresses are the module's resources by the names that facts have for them.
var addresses = map[string]string{
	"aws_dynamodb_table.lock": "table", "aws_apigatewayv2_api.lock": "api", "aws_apigatewayv2_integration.lock": "integration",
	"aws_apigatewayv2_authorizer.jwt": "authorizer", "aws_sns_topic.lock": "topic",
	"aws_lambda_function.api": "function.api", "aws_lambda_function.ops": "function.ops",
	"aws_lambda_function.sweep": "function.sweep", "aws_lambda_function.history": "function.history",
	"aws_iam_role.lock": "role.lock", "aws_iam_role.history": "role.history",
	"aws_cloudwatch_log_group.lock": "log.lock", "aws_cloudwatch_log_group.access": "log.access",
	"aws_iam_policy.ci": "policy.ci", "aws_iam_policy.operator": "policy.operator",
	"aws_cloudwatch_event_rule.sweep": "schedule",
}

// addressName names an attribute of a resource as facts do. What CloudFormation's
// Ref gives has the name of the resource alone.
func addressName(address, attribute string) string {
	name, known := addresses[address]
	switch {
	case !known:
		name = "unknown " + address
	case attribute == "execution_arn":
		name = "api.arn"
	case attribute == "stream_arn":
		name += ".stream"
	case attribute == "invoke_arn", attribute == "arn" && name != "topic" && name != "schedule":
		name += ".arn"
	}
	return "<" + name + ">"
}

// Terraform gives the facts of the module in files for settings, by the names of
// its variables.
func Terraform(files fs.FS, settings map[string]string) (Facts, error) {
	m, err := readModule(files, settings, addressName)
	if err != nil {
		return nil, err
	}
	f := Facts{}
	for name, value := range m.defaults {
		f["setting."+name+".default"] = value
	}
	for _, i := range m.instances {
		b := i.body
		name := addresses[i.kind+"."+i.name]
		of := func(attribute string) string { return strings.Trim(text(b[attribute]), "<>") }
		switch i.kind {
		case "aws_dynamodb_table":
			f.hclTable(name, b)
		case "aws_lambda_function":
			f.hclFunction(name, b)
		case "aws_lambda_function_event_invoke_config":
			f.set(of("function_name")+".async.retries", b["maximum_retry_attempts"])
			f.set(of("function_name")+".async.age", b["maximum_event_age_in_seconds"])
		case "aws_lambda_event_source_mapping":
			f.hclSource(strings.TrimSuffix(of("function_name"), ".arn")+".source", b)
		case "aws_lambda_permission":
			f.set("invoke."+of("function_name")+"."+text(b["principal"]), text(b["action"])+" from "+text(b["source_arn"]))
		case "aws_cloudwatch_event_rule":
			f.set("schedule", b["schedule_expression"])
		case "aws_cloudwatch_event_target":
			f.set("target", b["arn"])
		case "aws_iam_role":
			for _, s := range m.documents[text(b["assume_role_policy"])] {
				f.set(name+".trusts", strings.Join(s.resources, " ")+" "+strings.Join(s.actions, " "))
			}
			f.set(name+".managed", b["managed_policy_arns"])
		case "aws_iam_role_policy":
			f.grant(of("role"), m.documents[text(b["policy"])])
		case "aws_iam_policy":
			f.grant(name, m.documents[text(b["policy"])])
		case "aws_apigatewayv2_route":
			f.set("route."+text(b["route_key"]), b["authorization_type"])
			f.set("route."+text(b["route_key"])+".target", b["target"])
			f.set("route."+text(b["route_key"])+".authorizer", b["authorizer_id"])
		case "aws_apigatewayv2_api":
			f.set(name+".protocol", b["protocol_type"])
		case "aws_apigatewayv2_integration":
			f.set(name+".type", b["integration_type"])
			f.set(name+".function", b["integration_uri"])
			f.set(name+".payload", b["payload_format_version"])
			f.set(name+".timeout", b["timeout_milliseconds"])
		case "aws_apigatewayv2_stage":
			f.hclStage(b)
		case "aws_apigatewayv2_authorizer":
			f.set(name+".type", b["authorizer_type"])
			f.set(name+".source", b["identity_sources"])
			f.set(name+".issuer", at(only(b, "jwt_configuration"), "issuer"))
			f.set(name+".audience", at(only(b, "jwt_configuration"), "audience"))
		case "aws_cloudwatch_log_group":
			f.set(name+".retention", b["retention_in_days"])
			f.set(name+".kept", b["skip_destroy"] == true)
		case "aws_sns_topic":
			f.set(name+".encrypted", b["kms_master_key_id"] != nil)
		case "aws_cloudwatch_metric_alarm":
			f.hclAlarm("alarm."+i.key, b)
		case "aws_cloudwatch_dashboard":
			f.set("dashboard", canonical(text(b["dashboard_body"])))
		default:
			return nil, fmt.Errorf("%s.%s: resources of this type are not read", i.kind, i.name)
		}
	}
	f.joinSchedule()
	return f, nil
}

// joinSchedule says of the function that the rule invokes when it is invoked.
func (f Facts) joinSchedule() {
	target := strings.TrimSuffix(strings.Trim(f["target"], "<>"), ".arn")
	if target != "" {
		f[target+".schedule"] = f["schedule"]
	}
	delete(f, "target")
	delete(f, "schedule")
}

// only gives the one block of that kind, nil where there is none.
func only(body any, kind string) any {
	if blocks := each(at(body, kind)); len(blocks) > 0 {
		return blocks[0]
	}
	return nil
}

func (f Facts) hclTable(name string, b map[string]any) {
	for _, a := range each(b["attribute"]) {
		f.set(name+".attribute."+text(at(a, "name")), at(a, "type"))
	}
	f.set(name+".keys", text(b["hash_key"])+" HASH, "+text(b["range_key"])+" RANGE")
	for _, index := range each(b["global_secondary_index"]) {
		var keys []string
		for _, k := range each(at(index, "key_schema")) {
			keys = append(keys, text(at(k, "attribute_name"))+" "+text(at(k, "key_type")))
		}
		f.set(name+".index."+text(at(index, "name")), strings.Join(keys, ", ")+" "+text(at(index, "projection_type")))
	}
	f.set(name+".billing", b["billing_mode"])
	f.set(name+".protected", b["deletion_protection_enabled"])
	f.set(name+".recovery", at(only(b, "point_in_time_recovery"), "enabled"))
	f.set(name+".encrypted", at(only(b, "server_side_encryption"), "enabled"))
	f.set(name+".key", at(only(b, "server_side_encryption"), "kms_key_arn"))
	if b["stream_enabled"] == true {
		f.set(name+".stream", b["stream_view_type"])
	}
	f.set(name+".ttl", text(at(only(b, "ttl"), "attribute_name"))+" "+text(at(only(b, "ttl"), "enabled")))
}

func (f Facts) hclFunction(name string, b map[string]any) {
	for fact, attribute := range map[string]string{
		"handler": "handler", "runtime": "runtime", "architectures": "architectures", "memory": "memory_size",
		"timeout": "timeout", "role": "role",
	} {
		f.set(name+"."+fact, b[attribute])
	}
	f.set(name+".tracing", at(only(b, "tracing_config"), "mode"))
	f.set(name+".log", at(only(b, "logging_config"), "log_group"))
	f.set(name+".log.format", at(only(b, "logging_config"), "log_format"))
	for variable, value := range object(at(only(b, "environment"), "variables")) {
		f.set(name+".env."+variable, value)
	}
}

func (f Facts) hclSource(name string, b map[string]any) {
	f.set(name, b["event_source_arn"])
	f.set(name+".start", b["starting_position"])
	f.set(name+".batch", b["batch_size"])
	f.set(name+".bisect", b["bisect_batch_on_function_error"])
	f.set(name+".response", b["function_response_types"])
	for _, filter := range each(at(only(b, "filter_criteria"), "filter")) {
		f.set(name+".filter", canonical(text(at(filter, "pattern"))))
	}
}

func (f Facts) hclStage(b map[string]any) {
	f.set("stage.name", b["name"])
	f.set("stage.auto", b["auto_deploy"])
	f.set("stage.rate", at(only(b, "default_route_settings"), "throttling_rate_limit"))
	f.set("stage.burst", at(only(b, "default_route_settings"), "throttling_burst_limit"))
	f.set("stage.log", strings.TrimSuffix(text(at(only(b, "access_log_settings"), "destination_arn")), ":*"))
	f.set("stage.format", canonical(text(at(only(b, "access_log_settings"), "format"))))
}

func (f Facts) hclAlarm(name string, b map[string]any) {
	for fact, attribute := range map[string]string{
		"description": "alarm_description", "namespace": "namespace", "metric": "metric_name", "statistic": "statistic",
		"period": "period", "periods": "evaluation_periods", "threshold": "threshold", "comparison": "comparison_operator",
		"missing": "treat_missing_data", "alarm": "alarm_actions", "ok": "ok_actions",
	} {
		f.set(name+"."+fact, b[attribute])
	}
	for dimension, value := range object(b["dimensions"]) {
		f.set(name+".dimension."+dimension, value)
	}
}
