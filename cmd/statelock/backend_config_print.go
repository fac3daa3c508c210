package main

import (
	"fmt"
	"io"
	"strings"
)

// backendSetting is an argument of backend "http", a string or an int.
// https://developer.hashicorp.com/terraform/language/backend/http
type backendSetting struct {
	name  string
	value any
}

// backendSettings are in the order in which people are shown them.
type backendSettings []backendSetting

func (s backendSettings) values() map[string]any {
	values := map[string]any{}
	for _, setting := range s {
		values[setting.name] = setting.value
	}
	return values
}

// printBlock prints them as terraform fmt would.
func (s backendSettings) printBlock(w io.Writer) error {
	width := 0
	for _, setting := range s {
		width = max(width, len(setting.name))
	}
	var b strings.Builder
	b.WriteString("terraform {\n  backend \"http\" {\n")
	for _, setting := range s {
		value := fmt.Sprint(setting.value)
		if text, ok := setting.value.(string); ok {
			value = hclQuote(text)
		}
		fmt.Fprintf(&b, "    %-*s = %s\n", width, setting.name, value)
	}
	b.WriteString("  }\n}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// printEnv prints a line for a POSIX shell for each. The backend reads an
// argument that isn't given from the variable of its name.
func (s backendSettings) printEnv(w io.Writer) error {
	for _, setting := range s {
		_, err := fmt.Fprintf(w, "export TF_HTTP_%s=%s\n", strings.ToUpper(setting.name), shellQuote(fmt.Sprint(setting.value)))
		if err != nil {
			return err
		}
	}
	return nil
}

// hclQuote spells a text without control characters as a template that has
// nothing to expand.
func hclQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(s) + `"`
}

func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
