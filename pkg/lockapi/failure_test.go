package lockapi_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

func request(t *testing.T, method, target, body string) *http.Request {
	return httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
}

func serve(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// Whatever DynamoDB fails with, the caller is told 503 and when to come back,
// never anything about the lock; the cause is for the log.
func TestDatabaseFailuresAreNoVerdicts(t *testing.T) {
	t.Parallel()
	answer := func(status int, kind string) func(http.RoundTripper) http.RoundTripper {
		return func(http.RoundTripper) http.RoundTripper {
			return roundTrip(func(*http.Request) (*http.Response, error) {
				body := `{"__type":"com.amazonaws.dynamodb.v20120810#` + kind + `","message":"a secret of the database"}`
				return &http.Response{
					StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
					Body: io.NopCloser(strings.NewReader(body)),
				}, nil
			})
		}
	}
	failures := map[string]func(http.RoundTripper) http.RoundTripper{
		"unreachable": func(http.RoundTripper) http.RoundTripper {
			return roundTrip(func(*http.Request) (*http.Response, error) {
				return nil, errors.New("dial tcp: a secret of the network")
			})
		},
		"throttled":        answer(400, "ProvisionedThroughputExceededException"),
		"throttled 2":      answer(400, "ThrottlingException"),
		"table is missing": answer(400, "ResourceNotFoundException"),
		"internal error":   answer(500, "InternalServerError"),
		"access denied":    answer(400, "AccessDeniedException"),
		"not an answer": func(http.RoundTripper) http.RoundTripper {
			return roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("<html>"))}, nil
			})
		},
	}
	for name, fault := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := testdb.Open(t, fault)
			var log bytes.Buffer
			api := lockapi.New(ddbstore.New(noPause{db.Client}, ddbstore.Options{Table: db.Table}),
				lockapi.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			for _, c := range []struct{ method, target, body string }{
				{"POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`},
				{"POST", "/v1/release", `{"ws":"prod"}`},
				{"POST", "/v1/mark-stale", `{"ws":"prod"}`},
				{"POST", "/v1/force-unlock", `{"ws":"prod"}`},
				{"GET", "/v1/locks/prod", ""},
				{"GET", "/v1/locks", ""},
			} {
				log.Reset()
				resp, got := call(t, api, c.method, c.target, c.body)
				if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || got["ok"] != false || got["code"] != "unavailable" {
					t.Errorf("%s: %d %v", c.target, resp.StatusCode, got)
				}
				for _, word := range []string{"state", "lock", "holder", "owner"} {
					if _, ok := got[word]; ok {
						t.Errorf("%s: a verdict: %v", c.target, got)
					}
				}
				if strings.Contains(got["reason"].(string), "secret") {
					t.Errorf("%s: the cause is shown: %v", c.target, got)
				}
				if !strings.Contains(log.String(), "the store failed") {
					t.Errorf("%s: the cause is not logged: %s", c.target, &log)
				}
			}
		})
	}
}

// noPause makes the SDK's retries immediate.
type noPause struct{ ddbstore.Client }

func (c noPause) options(o []func(*dynamodb.Options)) []func(*dynamodb.Options) {
	return append(o, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
}

func (c noPause) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return c.Client.UpdateItem(ctx, in, c.options(o)...)
}

func (c noPause) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return c.Client.GetItem(ctx, in, c.options(o)...)
}

func (c noPause) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return c.Client.Query(ctx, in, c.options(o)...)
}

// A database that does not return the item that made a condition fail is no
// base for an answer about the lock.
func TestDisagreementIsSaid(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	api := lockapi.New(ddbstore.New(forgetful{db.Client}, ddbstore.Options{Table: db.Table}), lockapi.Options{Log: slog.New(slog.DiscardHandler)})
	call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`)
	resp, got := call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"b"}`)
	if resp.StatusCode != 500 || got["code"] != "internal" || got["lock"] != nil {
		t.Errorf("%d %v", resp.StatusCode, got)
	}
}

// forgetful is a DynamoDB that gives no item with a failed condition.
type forgetful struct{ ddbstore.Client }

func (f forgetful) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	plain := *in
	plain.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureNone
	return f.Client.UpdateItem(ctx, &plain, o...)
}

// Every transition is on record: who asked for it, and what became of it.
func TestTransitionsAreOnRecord(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	var log bytes.Buffer
	api := lockapi.New(ddbstore.New(db.Client, ddbstore.Options{Table: db.Table}), lockapi.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	r := request(t, "POST", "/v1/acquire", `{"ws":"prod","runner":"a","lock_id":"hold-1"}`)
	serve(api, r.WithContext(lockapi.WithPrincipal(r.Context(), "iam:ci")))
	api.Command(t.Context(), []byte(`{"op":"force_unlock","ws":"prod"}`))
	for _, want := range []string{
		`"op":"acquire","ws":"prod","principal":"iam:ci"`, `"ok":true,"wrote":true,"code":"","state":"held","owner":"a","lock_id":"hold-1","fence":1`,
		`"op":"force_unlock","ws":"prod","principal":"anonymous"`, `"ok":false,"wrote":false,"code":"not_stale"`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, &log)
		}
	}
}

func TestLogShowsNoBodiesAndNoQueries(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	var log bytes.Buffer
	h := lockapi.Logged(api, slog.New(slog.NewJSONHandler(&log, nil)))
	resp, _ := call(t, h, "POST", "/v1/acquire", `{"ws":"prod","runner":"hidden"}`, "Authorization: hidden")
	if resp.StatusCode != 200 {
		t.Errorf("%d", resp.StatusCode)
	}
	call(t, h, "GET", "/v1/tf/prod?ID=hidden", "")
	if strings.Contains(log.String(), "hidden") {
		t.Errorf("log %s", &log)
	}
	for _, want := range []string{`"route":"POST /v1/acquire"`, `"status":200`, `"request_id":"` + resp.Header.Get("X-Request-Id"), `"path":"/v1/tf/prod"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log lacks %s: %s", want, &log)
		}
	}
}
