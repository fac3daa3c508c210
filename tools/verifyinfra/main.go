// Verifyinfra checks the two definitions of a deployment, template.yaml and
// infra/, as far as can be without AWS, and prints a line for each check: the
// tool, its version, the result.
//
//	go run ./tools/verifyinfra          all checks
//	go run ./tools/verifyinfra moto     some
//
// Tools in Python are installed, pinned, into the user's cache folder on first
// use. For Terraform's checks, STATELOCK_TF names a program that runs terraform,
// or what the variable TF names, so that it finds the AWS provider; for OpenTofu's,
// STATELOCK_TOFU names a tofu besides. A check whose tool is not there is left out
// by name, and is a failure where CI is set.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
)

// errAbsent is the error of a check whose tool is not there.
var errAbsent = errors.New("left out")

// check is one line of the report. run gives the tool's version, and what went
// wrong, with the tool's output.
type check struct {
	name, what string
	run        func(context.Context, *folder) (version string, err error)
}

// checks in the order of the report.
var checks = []check{
	{"parity", "both definitions and the program agree", parity},
	{"cfn-lint", "template.yaml, and what it is translated to", cfnLint},
	{"sam", "sam validate --lint, sam build", samCLI},
	{"moto", "the stack, created; what exists is as the template says", moto},
	{"openapi", "docs/openapi.yaml is OpenAPI 3.1, and its routes are the program's", openapi},
	{"parliament", "the policies of roles, CI and operators", parliament},
	{"terraform", "fmt, validate and test of infra and its examples", terraform},
	{"opentofu", "validate and test of the same", opentofu},
	{"archive", "the packed function under the runtime API, as deployed", archive},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(verify(ctx, os.Args[1:]))
}

func verify(ctx context.Context, names []string) int {
	for _, name := range names {
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == name }) {
			fmt.Fprintf(os.Stderr, "verifyinfra: there is no check %s\n", name)
			return 2
		}
	}
	f, err := newFolder()
	if err != nil {
		fmt.Fprintln(os.Stderr, "verifyinfra:", err)
		return 1
	}
	defer f.remove()
	failed := 0
	for _, c := range checks {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		version, err := c.run(ctx, f)
		result := "ok"
		switch {
		case errors.Is(err, errAbsent) && os.Getenv("CI") == "":
			result = "skip"
		case err != nil:
			result = "FAIL"
			failed++
		}
		fmt.Printf("%-4s  %-10s  %-28s  %s\n", result, c.name, version, c.what)
		if err != nil {
			fmt.Println(indented(err.Error()))
		}
	}
	if failed > 0 {
		fmt.Printf("%d failed\n", failed)
		return 1
	}
	return 0
}

func indented(s string) string {
	return "      | " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n      | ")
}

// problems is an error of several lines, nil for none.
func problems(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}

// firstLine is a version as a tool prints it.
func firstLine(out []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
	return string(line)
}
