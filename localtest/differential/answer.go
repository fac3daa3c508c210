package differential

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Database is a DynamoDB that cases are sent to.
type Database struct {
	Name   string
	URL    string
	Client *http.Client
	// Revive, if set, starts the database anew, empty, after it broke off a
	// connection, and returns its URL. Without it a broken connection is an
	// error.
	Revive func(context.Context) (string, error)
}

// broken is the verdict of a database that broke off the connection.
const broken = "broken connection"

// Answer is what a database said to one request.
type Answer struct {
	// Verdict is "done", the name of an error, or what is wrong with an answer
	// that is neither.
	Verdict string
	Message string // of an error; not compared
	Body    object // what is compared of it, in a form of its own
}

// String is the verdict with its message.
func (a Answer) String() string { return strings.TrimSpace(a.Verdict + " " + a.Message) }

// send asks db one thing.
func (db *Database) send(ctx context.Context, operation string, body object) (Answer, error) {
	a, err := db.try(ctx, operation, body)
	if err == nil || db.Revive == nil || ctx.Err() != nil {
		return a, err
	}
	if db.URL, err = db.Revive(ctx); err != nil {
		return Answer{}, err
	}
	for _, r := range createTables() {
		if _, err := db.try(ctx, r.Operation, r.Body); err != nil {
			return Answer{}, err
		}
	}
	return Answer{Verdict: broken}, nil
}

// try asks db one thing. An error is that of the connection.
func (db *Database) try(ctx context.Context, operation string, body object) (Answer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return Answer{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, db.URL, bytes.NewReader(text))
	if err != nil {
		return Answer{}, err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	// Engines want to see a signature; none checks it.
	r.Header.Set("X-Amz-Date", "20260101T000000Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "+
		"SignedHeaders=host;x-amz-date;x-amz-target, Signature="+strings.Repeat("0", 64))
	resp, err := db.Client.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, err
	}
	return read(resp.StatusCode, reply), nil
}

func read(status int, reply []byte) Answer {
	var body object
	if err := json.Unmarshal(reply, &body); err != nil {
		return Answer{Verdict: fmt.Sprintf("HTTP status %d without JSON", status)}
	}
	if status == http.StatusOK {
		return Answer{Verdict: "done", Body: comparable(body,
			"Attributes", "Item", "Items", "Count", "ScannedCount", "LastEvaluatedKey", "Responses",
			"TimeToLiveSpecification", "TimeToLiveDescription")}
	}
	a := Answer{Verdict: fmt.Sprintf("HTTP status %d", status)}
	if name, ok := body["__type"].(string); ok {
		_, short, _ := strings.Cut(name, "#")
		if a.Verdict = short; short == "" {
			a.Verdict = name
		}
	}
	for _, key := range []string{"message", "Message"} {
		if text, ok := body[key].(string); ok {
			a.Message = text
		}
	}
	a.Body = comparable(body, "Item", "CancellationReasons")
	return a
}

// comparable is the named parts of an answer with sets in order, without
// messages.
func comparable(body object, names ...string) object {
	kept := object{}
	for _, name := range names {
		if part, ok := body[name]; ok {
			kept[name] = tidy(part)
		}
	}
	return kept
}

func tidy(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = tidy(v[i])
		}
	case object:
		delete(v, "Message")
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if set, ok := v[name].([]any); ok && (name == "SS" || name == "NS" || name == "BS") {
				slices.SortFunc(set, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
				continue
			}
			v[name] = tidy(v[name])
		}
	}
	return v
}
