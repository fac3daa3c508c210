package templates

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Stack gives the facts of a stack that was created, from what tools/sam/stack.py
// prints of it: those that moto keeps. Kept tells which.
func Stack(doc []byte) (Facts, error) {
	var exists map[string]any
	if err := json.Unmarshal(doc, &exists); err != nil {
		return nil, err
	}
	if exists["stack"] != "CREATE_COMPLETE" {
		return nil, fmt.Errorf("the stack is %v", exists["stack"])
	}
	s := stack{Facts{}, physicalNames(exists)}
	for _, table := range each(exists["tables"]) {
		s.table(table)
	}
	for _, function := range each(exists["functions"]) {
		s.function(function)
	}
	for _, role := range each(exists["roles"]) {
		name := strings.TrimSuffix(s.of(at(role, "arn")), ".arn")
		for _, statement := range each(at(role, "trust", "Statement")) {
			s.facts.set(name+".trusts", text(at(statement, "Principal", "Service"))+" "+text(at(statement, "Action")))
		}
		for _, policy := range each(at(role, "policies")) {
			s.facts.grant(name, samStatements(s.named(policy)))
		}
	}
	for _, policy := range each(exists["policies"]) {
		s.facts.grant(s.of(at(policy, "arn")), samStatements(s.named(at(policy, "document"))))
	}
	for _, log := range each(exists["logs"]) {
		s.facts.set(s.of(at(log, "logGroupName"))+".retention", at(log, "retentionInDays"))
	}
	for _, rule := range each(exists["rules"]) {
		s.facts.set("function.sweep.schedule", at(rule, "ScheduleExpression"))
	}
	for _, source := range each(exists["sources"]) {
		name := strings.TrimSuffix(s.of(at(source, "FunctionArn")), ".arn")
		s.facts.set(name+".source", s.named(at(source, "EventSourceArn")))
		s.facts.set(name+".source.batch", at(source, "BatchSize"))
	}
	return s.facts, nil
}

// Kept reports whether moto's CloudFormation makes what a fact is about. The rest
// is what it has no support for (APIs, alarms), drops (recovery, encryption, time
// to live, architectures, logging, tracing, filters) or keeps under ids that
// nobody else has (the API's in policies).
func Kept(fact string) bool {
	for _, prefix := range []string{
		"table.attribute.", "table.keys", "table.index.", "table.billing", "table.protected", "table.stream",
		"role.", "policy.operator.allow.lambda:", "log.",
	} {
		if strings.HasPrefix(fact, prefix) && !strings.HasSuffix(fact, ".kept") {
			return true
		}
	}
	function, isFunction := strings.CutPrefix(fact, "function.")
	_, of, _ := strings.Cut(function, ".")
	return isFunction && (strings.HasPrefix(of, "env.") ||
		slices.Contains([]string{"handler", "runtime", "memory", "timeout", "role", "schedule", "source", "source.batch"}, of))
}

// stack reads what exists into facts.
type stack struct {
	facts Facts
	names *strings.Replacer // of physical ids
}

// of names what has a physical id.
func (s stack) of(id any) string { return strings.Trim(s.names.Replace(text(id)), "<>") }

// named puts names for physical ids all over a value.
func (s stack) named(value any) any {
	switch v := value.(type) {
	case string:
		return s.names.Replace(v)
	case []any:
		all := []any{}
		for _, element := range v {
			all = append(all, s.named(element))
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, element := range v {
			all[name] = s.named(element)
		}
		return all
	}
	return value
}

// physicalNames has facts' names for ARNs first, which have ids in them.
func physicalNames(exists map[string]any) *strings.Replacer {
	arns := []string{"dynamodb.eu-west-1.amazonaws.com", "dynamodb.<region>.amazonaws.com"} // stack.py's region
	var ids []string
	for logical, id := range object(exists["ids"]) {
		if name, known := logicalNames[logical]; known && text(id) != "" {
			ids = append(ids, text(id), "<"+name+">")
		}
	}
	replaced := strings.NewReplacer(ids...)
	for _, table := range each(exists["tables"]) {
		arns = append(arns, text(at(table, "LatestStreamArn")), "<table.stream>", text(at(table, "TableArn")), "<table.arn>")
	}
	for _, kind := range []string{"functions", "roles"} {
		for _, one := range each(exists[kind]) {
			name := strings.Trim(replaced.Replace(text(at(one, "name"))), "<>")
			arns = append(arns, text(at(one, "arn")), "<"+name+".arn>")
		}
	}
	for _, log := range each(exists["logs"]) {
		name := text(at(log, "logGroupName"))
		known := strings.Trim(replaced.Replace(name), "<>")
		// moto's GetAtt leaves out what CloudFormation has at the end.
		arn := strings.TrimSuffix(text(at(log, "arn")), ":*")
		arns = append(arns, arn+":*", "<"+known+".arn>:*", arn, "<"+known+".arn>:*")
	}
	return strings.NewReplacer(append(arns, ids...)...)
}

func (s stack) table(t any) {
	for _, a := range each(at(t, "AttributeDefinitions")) {
		s.facts.set("table.attribute."+text(at(a, "AttributeName")), at(a, "AttributeType"))
	}
	s.facts.set("table.keys", samKeys(at(t, "KeySchema")))
	for _, index := range each(at(t, "GlobalSecondaryIndexes")) {
		s.facts.set("table.index."+text(at(index, "IndexName")), samKeys(at(index, "KeySchema"))+" "+text(at(index, "Projection", "ProjectionType")))
	}
	s.facts.set("table.billing", at(t, "BillingModeSummary", "BillingMode"))
	s.facts.set("table.protected", at(t, "DeletionProtectionEnabled"))
	s.facts.set("table.stream", at(t, "StreamSpecification", "StreamViewType"))
}

func (s stack) function(f any) {
	name := s.of(at(f, "name"))
	for _, property := range []string{"handler", "runtime", "memory", "timeout"} {
		s.facts.set(name+"."+property, at(f, property))
	}
	s.facts.set(name+".role", s.named(at(f, "role")))
	for variable, value := range object(at(f, "env")) {
		s.facts.set(name+".env."+variable, s.named(value))
	}
}
