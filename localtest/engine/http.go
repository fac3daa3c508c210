package engine

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// The protocol: POST with the operation in a header, JSON in and out.
const (
	targetHeader  = "X-Amz-Target"
	targetPrefix  = "DynamoDB_20120810."
	contentType   = "application/x-amz-json-1.0"
	maxBodyLength = 16 << 20 // the service's limit for BatchWriteItem
)

// ServeHTTP answers one request of DynamoDB's JSON protocol. The signature is
// not looked at.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		// The service answers health checks this way.
		respond(w, http.StatusOK, []byte("healthy: dynamodb.local"))
		return
	}
	result, err := e.handle(w, r)
	status := http.StatusOK
	if err != nil {
		failure := asAPIError(err)
		result, status = failure, failure.status
	}
	body, err := json.Marshal(result)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte("{}")
	}
	respond(w, status, body)
}

func (e *Engine) handle(w http.ResponseWriter, r *http.Request) (any, error) {
	name, ok := strings.CutPrefix(r.Header.Get(targetHeader), targetPrefix)
	run, known := operations[name]
	if r.Method != http.MethodPost || !ok || !known {
		return nil, unknownOperation()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyLength))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, &apiError{
				Type:   coralNamespace + "RequestEntityTooLargeException",
				status: http.StatusRequestEntityTooLarge,
			}
		}
		return nil, serializationError(err)
	}
	// A client that is gone must not have its write done behind its back later.
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return run(e, body)
}

func respond(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Amzn-Requestid", rand.Text())
	h.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	w.WriteHeader(status)
	// The client has gone if this fails, and nobody is left to tell.
	_, _ = w.Write(body)
}

// operation reads a request's body and answers it.
type operation func(e *Engine, body []byte) (any, error)

// op makes an operation of a function from request to response.
func op[Request, Response any](run func(*Engine, *Request) (*Response, error)) operation {
	return func(e *Engine, body []byte) (any, error) {
		var request Request
		if err := json.Unmarshal(body, &request); err != nil {
			return nil, malformed(err)
		}
		response, err := run(e, &request)
		if err != nil {
			return nil, err
		}
		return response, nil
	}
}

// operations has every operation by name.
var operations = map[string]operation{
	"CreateTable":        op((*Engine).createTable),
	"DescribeTable":      op((*Engine).describeTable),
	"DeleteTable":        op((*Engine).deleteTable),
	"ListTables":         op((*Engine).listTables),
	"UpdateTimeToLive":   op((*Engine).updateTimeToLive),
	"DescribeTimeToLive": op((*Engine).describeTimeToLive),
	"GetItem":            op((*Engine).getItem),
	"PutItem":            op((*Engine).putItem),
	"UpdateItem":         op((*Engine).updateItem),
	"DeleteItem":         op((*Engine).deleteItem),
	"Query":              op((*Engine).query),
	"Scan":               op((*Engine).scan),
	"BatchGetItem":       op((*Engine).batchGetItem),
	"BatchWriteItem":     op((*Engine).batchWriteItem),
	"TransactGetItems":   op((*Engine).transactGetItems),
	"TransactWriteItems": op((*Engine).transactWriteItems),
}
