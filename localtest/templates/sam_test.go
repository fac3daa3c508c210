package templates

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/goccy/go-yaml"
)

// samTemplate is what the tests look at in template.yaml. An intrinsic function
// (!Ref, !GetAtt) reads as its argument.
type samTemplate struct {
	Resources struct {
		LockTable struct {
			DeletionPolicy      string         `yaml:"DeletionPolicy"`
			UpdateReplacePolicy string         `yaml:"UpdateReplacePolicy"`
			Properties          map[string]any `yaml:"Properties"`
		} `yaml:"LockTable"`
		LockFunction struct {
			Properties struct {
				Timeout     int `yaml:"Timeout"`
				Environment struct {
					Variables map[string]string `yaml:"Variables"`
				} `yaml:"Environment"`
				Events map[string]struct {
					Type       string `yaml:"Type"`
					Properties struct {
						Method   string `yaml:"Method"`
						Path     string `yaml:"Path"`
						Schedule string `yaml:"Schedule"`
					} `yaml:"Properties"`
				} `yaml:"Events"`
			} `yaml:"Properties"`
		} `yaml:"LockFunction"`
		LockAPI struct {
			Properties struct {
				Auth struct {
					DefaultAuthorizer string `yaml:"DefaultAuthorizer"`
				} `yaml:"Auth"`
			} `yaml:"Properties"`
		} `yaml:"LockApi"`
		LockRole    samRole `yaml:"LockRole"`
		HistoryRole samRole `yaml:"HistoryRole"`
	} `yaml:"Resources"`
}

// samRole is a role in template.yaml.
type samRole struct {
	Properties struct {
		ManagedPolicyArns []string `yaml:"ManagedPolicyArns"`
		Policies          []struct {
			PolicyDocument struct {
				Statement []struct {
					Action any `yaml:"Action"` // a string or a list of them
				} `yaml:"Statement"`
			} `yaml:"PolicyDocument"`
		} `yaml:"Policies"`
	} `yaml:"Properties"`
}

func readSAM(t *testing.T) samTemplate {
	t.Helper()
	data, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template samTemplate
	if err := yaml.Unmarshal(data, &template); err != nil {
		t.Fatal(err)
	}
	return template
}

// table is the template's table as a request to make one: CloudFormation names
// the parts as DynamoDB does.
func (s samTemplate) table(t *testing.T) *dynamodb.CreateTableInput {
	t.Helper()
	data, err := json.Marshal(s.Resources.LockTable.Properties)
	if err != nil {
		t.Fatal(err)
	}
	var input dynamodb.CreateTableInput
	if err := json.Unmarshal(data, &input); err != nil {
		t.Fatal(err)
	}
	return &input
}

// routes are the template's, as "METHOD /path".
func (s samTemplate) routes() map[string]bool {
	routes := map[string]bool{}
	for _, e := range s.Resources.LockFunction.Properties.Events {
		if e.Type == "HttpApi" {
			routes[e.Properties.Method+" "+e.Properties.Path] = true
		}
	}
	return routes
}

// schedules are when the function is invoked by the clock.
func (s samTemplate) schedules() map[string]bool {
	schedules := map[string]bool{}
	for _, e := range s.Resources.LockFunction.Properties.Events {
		if e.Type == "Schedule" {
			schedules[e.Properties.Schedule] = true
		}
	}
	return schedules
}

// actions are what a role allows.
func (r samRole) actions() map[string]bool {
	actions := map[string]bool{}
	for _, p := range r.Properties.Policies {
		for _, statement := range p.PolicyDocument.Statement {
			switch action := statement.Action.(type) {
			case string:
				actions[action] = true
			case []any:
				for _, a := range action {
					actions[a.(string)] = true
				}
			}
		}
	}
	return actions
}
