package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/statelock/statelock/localtest/templates"
)

func parity(_ context.Context, f *folder) (string, error) {
	version := "hcl, " + runtime.Version()
	template, err := os.ReadFile(f.path("template.yaml"))
	if err != nil {
		return version, err
	}
	return version, problems(templates.Check(template, os.DirFS(f.path("infra"))))
}

// compareStack compares what exists with what the template says for those
// parameters, in all that moto makes.
func compareStack(f *folder, parameters map[string]string, exists []byte) error {
	template, err := os.ReadFile(f.path("template.yaml"))
	if err != nil {
		return err
	}
	said, err := templates.SAM(template, parameters)
	if err != nil {
		return err
	}
	made, err := templates.Stack(exists)
	if err != nil {
		return err
	}
	for _, facts := range []templates.Facts{said, made} {
		for name := range facts {
			if !templates.Kept(name) {
				delete(facts, name)
			}
		}
	}
	if len(made) == 0 {
		return errors.New("nothing exists")
	}
	return problems(templates.Differences(said, made))
}

// policyDocuments writes the policies of the template into a folder, each with
// ARNs such as it has when it is deployed.
func policyDocuments(f *folder) (folder string, err error) {
	template, err := os.ReadFile(f.path("template.yaml"))
	if err != nil {
		return "", err
	}
	facts, err := templates.SAM(template, map[string]string{"KmsKeyArn": "arn:aws:kms:eu-west-1:111122223333:key/00000000-0000-4000-8000-000000000001"})
	if err != nil {
		return "", err
	}
	// A stream's label has colons, which the linter takes for those of the ARN.
	arns := strings.NewReplacer(
		"<table.arn>", "arn:aws:dynamodb:eu-west-1:111122223333:table/locks", "<table.stream>", "arn:aws:dynamodb:eu-west-1:111122223333:table/locks/stream/2026-01-01",
		"<log.lock.arn>", "arn:aws:logs:eu-west-1:111122223333:log-group:locks", "<topic>", "arn:aws:sns:eu-west-1:111122223333:locks",
		"<api.arn>", "arn:aws:execute-api:eu-west-1:111122223333:a1b2c3d4e5", "<function.ops.arn>", "arn:aws:lambda:eu-west-1:111122223333:function:ops",
		"<region>", "eu-west-1")
	folder = f.made("policies")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"role.lock", "role.history", "policy.ci", "policy.operator"} {
		var statements []any
		for action, resources := range facts.Part(name + ".allow.") {
			for resource := range strings.SplitSeq(arns.Replace(resources), ", ") {
				on, condition, conditional := strings.Cut(resource, " where ")
				statement := map[string]any{"Effect": "Allow", "Action": action, "Resource": on}
				if words := strings.Fields(condition); conditional && len(words) == 3 {
					statement["Condition"] = map[string]any{words[0]: map[string]any{words[1]: words[2]}}
				}
				statements = append(statements, statement)
			}
		}
		if len(statements) == 0 {
			return "", errors.New(name + " allows nothing")
		}
		doc, err := json.MarshalIndent(map[string]any{"Version": "2012-10-17", "Statement": statements}, "", "  ")
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, name+".json"), doc, 0o644); err != nil {
			return "", err
		}
	}
	return folder, nil
}

func parliament(ctx context.Context, f *folder) (string, error) {
	version := f.pinned("parliament", "parliament")
	programs, err := f.venv(ctx, "parliament")
	if err != nil {
		return version, err
	}
	folder, err := policyDocuments(f)
	if err != nil {
		return version, err
	}
	_, err = f.run(ctx, nil, filepath.Join(programs, "parliament"), "--directory", folder)
	return version, err
}
