package templates_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// openAPI reads docs/openapi.yaml.
func openAPI(t *testing.T) map[string]any {
	t.Helper()
	source, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(source, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// member follows a path of members, and each $ref on the way and at its end.
func member(t *testing.T, doc map[string]any, from any, path ...string) any {
	t.Helper()
	object, _ := from.(map[string]any)
	if ref, isRef := object["$ref"].(string); isRef {
		target := member(t, doc, doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		if target == nil {
			t.Fatalf("%s leads nowhere", ref)
		}
		return member(t, doc, target, path...)
	}
	if len(path) == 0 {
		return from
	}
	return member(t, doc, object[path[0]], path[1:]...)
}

// Routes and methods are the program's, those for whom the service asks for a
// credential itself included.
func TestOpenAPIRoutes(t *testing.T) {
	t.Parallel()
	doc := openAPI(t)
	const inherited = "signature bearer password"
	want := map[string]string{}
	for _, r := range lockapi.Routes() {
		key := r.Method + " " + strings.ReplaceAll(r.Path, "...", "")
		switch {
		case r.Method == "LOCK" || r.Method == "UNLOCK": // there is no place for these
		case r.Terraform:
			want[key] = "password bearer"
		default:
			want[key] = inherited
		}
	}
	got := map[string]string{}
	for path, item := range doc["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			schemes := member(t, doc, operation, "security")
			if schemes == nil {
				schemes = doc["security"]
			}
			var names []string
			for _, scheme := range schemes.([]any) {
				for name := range scheme.(map[string]any) {
					names = append(names, name)
				}
			}
			got[strings.ToUpper(method)+" "+path] = strings.Join(names, " ")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-program +openapi.yaml\n%s", diff)
	}
}

// A refused acquire has a status of its own.
func TestOpenAPIStatuses(t *testing.T) {
	t.Parallel()
	doc := openAPI(t)
	for _, o := range lockmodel.Ops() {
		if o.TakesState() {
			continue
		}
		refused, other := "409", "423"
		if o == lockmodel.Acquire {
			refused, other = other, refused
		}
		responses := member(t, doc, doc, "paths", lockapi.Path(o), "post", "responses")
		if member(t, doc, responses, refused) == nil || member(t, doc, responses, other) != nil || member(t, doc, responses, "default", "content") == nil {
			t.Errorf("%s: %v", o, responses)
		}
	}
}

// What answers hold is what the program's types hold.
func TestOpenAPIAnswers(t *testing.T) {
	t.Parallel()
	doc := openAPI(t)
	for name, of := range map[string]reflect.Type{
		"Answer": reflect.TypeFor[lockmodel.Answer](), "Lock": reflect.TypeFor[lockmodel.View](),
		"Event": reflect.TypeFor[lockapi.Event](), "Version": reflect.TypeFor[lockapi.Version](),
	} {
		var fields, required []string
		for member := range of.Fields() {
			field, omitted, _ := strings.Cut(member.Tag.Get("json"), ",")
			fields = append(fields, field)
			if omitted == "" {
				required = append(required, field)
			}
		}
		schema := member(t, doc, doc, "components", "schemas", name)
		compareNames(t, name, fields, keys(member(t, doc, schema, "properties")))
		compareNames(t, name+", required", required, names(member(t, doc, schema, "required")))
	}
}

func keys(object any) []string {
	var all []string
	for name := range object.(map[string]any) {
		all = append(all, name)
	}
	return all
}

func names(list any) []string {
	var all []string
	for _, name := range list.([]any) {
		all = append(all, name.(string))
	}
	return all
}

func compareNames(t *testing.T, what string, program, document []string) {
	t.Helper()
	slices.Sort(program)
	slices.Sort(document)
	if diff := cmp.Diff(program, document); diff != "" {
		t.Errorf("%s (-program +openapi.yaml):\n%s", what, diff)
	}
}

// What a request may hold is what the program says when it refuses another field.
func TestOpenAPIRequests(t *testing.T) {
	t.Parallel()
	doc := openAPI(t)
	db := testdb.Open(t)
	api := lockapi.New(ddbstore.New(db.Client, ddbstore.Options{Table: db.Table}), lockapi.Options{Log: slog.New(slog.DiscardHandler)})
	refusal := func(method, target, body string) string {
		t.Helper()
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body)))
		var answer struct{ Field, Reason string }
		content, err := io.ReadAll(w.Result().Body)
		if err != nil || json.Unmarshal(content, &answer) != nil || w.Code != http.StatusBadRequest || answer.Field != "nosuch" {
			t.Fatalf("%s %s: %d %s", method, target, w.Code, content)
		}
		return answer.Reason
	}
	listed := func(reason string) []string {
		_, fields, ok := strings.Cut(reason, "there are ")
		if !ok {
			t.Fatalf("the refusal lists no fields: %s", reason)
		}
		return strings.Split(fields, ", ")
	}
	for path, item := range doc["paths"].(map[string]any) {
		schema := member(t, doc, item, "post", "requestBody", "content", "application/json", "schema")
		if member(t, doc, schema, "additionalProperties") == false {
			compareNames(t, path, listed(refusal("POST", path, `{"nosuch":1}`)), keys(member(t, doc, schema, "properties")))
		}
		if operation := member(t, doc, item, "get"); operation != nil && !strings.HasPrefix(path, "/v1/locks/{") {
			var query []string
			parameters, _ := member(t, doc, operation, "parameters").([]any)
			for _, p := range parameters {
				query = append(query, member(t, doc, p, "name").(string))
			}
			compareNames(t, path, listed(refusal("GET", strings.ReplaceAll(path, "{ws}", "prod")+"?nosuch=1", "")), query)
		}
	}
}

// The words for programs are all there.
func TestOpenAPICodes(t *testing.T) {
	t.Parallel()
	doc := openAPI(t)
	for schema, source := range map[string]struct{ files, pattern string }{
		"Code":    {"../../pkg/lockmodel/rule.go", `Code\w+\s+Code = "(\w+)"`},
		"Failure": {"../../pkg/lockapi/*.go", `\bCode:\s*"(\w+)"`},
	} {
		files, err := filepath.Glob(source.files)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		found := map[string]any{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range regexp.MustCompile(source.pattern).FindAllSubmatch(text, -1) {
				if !strings.HasSuffix(file, "_test.go") {
					found[string(match[1])] = true
				}
			}
		}
		listed := member(t, doc, doc, "components", "schemas", schema)
		if schema == "Failure" {
			listed = member(t, doc, listed, "properties", "code")
		}
		compareNames(t, schema, keys(found), names(member(t, doc, listed, "enum")))
	}
}
