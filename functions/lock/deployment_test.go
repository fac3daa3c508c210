package main

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/templates"
)

// deployments gives the facts of both definitions.
func deployments(t *testing.T) map[string]templates.Facts {
	t.Helper()
	source, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sam, err := templates.SAM(source, nil)
	if err != nil {
		t.Fatal(err)
	}
	module, err := templates.Terraform(os.DirFS("../../infra"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]templates.Facts{"template.yaml": sam, "infra": module}
}

// TestDeployedSettings: each function is configured so that it starts, does what
// it is deployed for, and otherwise as the program does where nothing is set.
// Every setting that there is can be set.
func TestDeployedSettings(t *testing.T) {
	t.Parallel()
	for where, facts := range deployments(t) {
		for d := range duties {
			var environ []string
			set := map[string]bool{}
			for name, value := range facts.Part("function." + string(d) + ".env.") {
				value = strings.NewReplacer("<table>", "locks", "<topic>", "arn:aws:sns:eu-west-1:111122223333:locks").Replace(value)
				environ = append(environ, name+"="+value)
				set[name] = true
			}
			got, err := configFrom(environ)
			if err != nil {
				t.Errorf("%s: %s: %v", where, d, err)
				continue
			}
			want, err := configFrom([]string{"STATELOCK_TABLE=locks"})
			if err != nil {
				t.Fatal(err)
			}
			want.Serves = d
			if d == dutyHistory {
				want.Topic = got.Topic
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s (-program +deployment):\n%s", where, d, diff)
			}
			for name := range (&Config{}).settings() {
				if !set[name] && name != prefix+"TOPIC" {
					t.Errorf("%s: %s: nothing sets %s", where, d, name)
				}
			}
		}
		if facts["function.history.env.STATELOCK_TOPIC"] != "<topic>" {
			t.Errorf("%s: the history tells nobody", where)
		}
	}
}

// TestDeployedMetrics: what alarms and dashboards look at is what the function
// measures, under its names.
func TestDeployedMetrics(t *testing.T) {
	t.Parallel()
	plain := []string{metricContention, metricRefusedWrites, metricHeld, metricStale, metricStaleLocks, metricOldestStale}
	for where, facts := range deployments(t) {
		alarms := 0
		for name, value := range facts.Part("alarm.") {
			alarm, isNamespace := strings.CutSuffix(name, ".namespace")
			if !isNamespace || value != namespace {
				continue
			}
			alarms++
			if metric := facts["alarm."+alarm+".metric"]; !slices.Contains(plain, metric) {
				t.Errorf("%s: alarm %s is on %s, which is not measured so", where, alarm, metric)
			}
			if got := facts.Part("alarm." + alarm + ".dimension."); !reflect.DeepEqual(got, templates.Facts{"Table": "<table>"}) {
				t.Errorf("%s: alarm %s has the dimensions %v", where, alarm, got)
			}
		}
		if alarms != 2 {
			t.Errorf("%s: %d alarms on metrics of the function's", where, alarms)
		}
		for _, metric := range plain {
			if !strings.Contains(facts["dashboard"], `["statelock","`+metric+`","Table","<table>"`) {
				t.Errorf("%s: %s is not on the dashboard", where, metric)
			}
		}
		for metric, dimensions := range map[string]string{metricTransitions: "Operation,Answer", metricLatency: "Action", metricRetries: "Action"} {
			if want := `SEARCH('{statelock,Table,` + dimensions + `} MetricName=\"` + metric + `\"`; !strings.Contains(facts["dashboard"], want) {
				t.Errorf("%s: the dashboard has no %s", where, want)
			}
		}
	}
}
