package engine_test

import (
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/statelock/statelock/localtest/engine"
)

func TestProtocol(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method, target, body string
		status               int
		want                 string // in the body
	}{
		{"POST", "DynamoDB_20120810.ListTables", `{}`, 200, `{"TableNames":[]}`},
		{"POST", "DynamoDB_20120810.ListTables", ` {"Unknown":[1,{"x":null}]} `, 200, `{"TableNames":[]}`},
		{"POST", "DynamoDB_20120810.UpdateTable", `{}`, 400, `com.amazon.coral.service#UnknownOperationException`},
		{"POST", "DynamoDB_20120810.", `{}`, 400, `com.amazon.coral.service#UnknownOperationException`},
		{"POST", "Elsewhere.ListTables", `{}`, 400, `com.amazon.coral.service#UnknownOperationException`},
		{"POST", "", `{}`, 400, `com.amazon.coral.service#UnknownOperationException`},
		{"PUT", "DynamoDB_20120810.ListTables", `{}`, 400, `com.amazon.coral.service#UnknownOperationException`},
		{"POST", "DynamoDB_20120810.ListTables", ``, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.ListTables", `{`, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.ListTables", `{} {}`, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.ListTables", `[]`, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.ListTables", `{"Limit":"1"}`, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.GetItem", `{"TableName":1}`, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.GetItem", `{"TableName":"tables","Key":{"pk":"p"}}`, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.GetItem", `{"TableName":"tables","Key":{"pk":{"S":1}}}`, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.TransactWriteItems", `{"TransactItems":{}}`, 400, `com.amazon.coral.service#SerializationException`},
		{"POST", "DynamoDB_20120810.PutItem", `{"TableName":"` + strings.Repeat("x", 17<<20) + `"}`, 413, `RequestEntityTooLargeException`},
		{"GET", "", ``, 200, `healthy`},
	}
	for _, test := range tests {
		r := httptest.NewRequestWithContext(t.Context(), test.method, "/", strings.NewReader(test.body))
		r.Header.Set("X-Amz-Target", test.target)
		w := httptest.NewRecorder()
		engine.New().ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %s %.60q: %d %s", test.method, test.target, test.body, w.Code, body)
		}
		sum := strconv.FormatUint(uint64(crc32.ChecksumIEEE(w.Body.Bytes())), 10)
		if h := w.Header(); h.Get("X-Amz-Crc32") != sum || h.Get("X-Amzn-Requestid") == "" ||
			h.Get("Content-Type") != "application/x-amz-json-1.0" || h.Get("Content-Length") != strconv.Itoa(len(body)) {
			t.Errorf("%s %s: headers %v", test.method, test.target, h)
		}
	}
}

// The same client works over a socket.
func TestOverASocket(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(engine.New())
	defer s.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	db := engine.New().Client(func(o *dynamodb.Options) {
		o.BaseEndpoint = aws.String(s.URL)
		o.HTTPClient = &http.Client{Transport: transport}
	})
	createThings(t, db)
	put(t, db, everything)
	if got := get(t, db, key("p", "s")); got["s"] != everything["s"] {
		t.Errorf("read back %v", got)
	}
}
