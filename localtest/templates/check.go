package templates

import (
	"io/fs"
	"slices"
	"strings"
)

// terraformOnly are settings that CloudFormation has another way for: the stack's
// name, and the deletion policy of the table.
var terraformOnly = []string{"setting.name.default", "setting.deletion_protection.default"}

// everything sets every setting to something else than its default, by the names
// of the module's variables.
var everything = map[string]string{
	"default_lease_seconds": "60", "max_lease_seconds": "7200", "notice_seconds": "30", "max_hold_seconds": "43200",
	"clock_skew_milliseconds": "100", "keep_history_hours": "24", "max_state_bytes": "1000000", "keep_versions": "7",
	"require_lock": "true", "issuers": `[{"issuer":"https://gitlab.example.com"}]`,
	"jwt_issuer": "https://gitlab.example.com", "jwt_audience": "locks", "throttle_rate": "10", "throttle_burst": "20",
	"stale_alarm_seconds": "600", "log_retention_days": "30",
	"kms_key_arn": "arn:aws:kms:eu-west-1:111122223333:key/1234", "tracing": "Active",
}

// Everything gives a value other than the default to each parameter of
// template.yaml.
func Everything() map[string]string {
	parameters := map[string]string{}
	for variable, value := range everything {
		parameters[pascal(variable)] = value
	}
	return parameters
}

// Check compares the two definitions of a deployment with each other and with
// the program, for the settings as they come and for others. It lists what
// differs, or why a definition can't be read.
func Check(template []byte, module fs.FS) []string {
	var problems []string
	for name, settings := range map[string]struct{ parameters, variables map[string]string }{
		"by default":          {},
		"with everything set": {Everything(), everything},
	} {
		sam, err := SAM(template, settings.parameters)
		if err != nil {
			return []string{"template.yaml: " + err.Error()}
		}
		terraform, err := Terraform(module, settings.variables)
		if err != nil {
			return []string{"infra: " + err.Error()}
		}
		for _, setting := range terraformOnly {
			delete(terraform, setting)
		}
		for _, difference := range Differences(sam, terraform) {
			problems = append(problems, "template.yaml and infra differ "+name+": "+difference)
		}
		for _, d := range []struct {
			where string
			facts Facts
		}{{"template.yaml", sam}, {"infra", terraform}} {
			for _, problem := range Unfit(d.facts) {
				problems = append(problems, d.where+" "+name+": "+problem)
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// pascal spells a variable as a parameter.
func pascal(variable string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(variable, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
