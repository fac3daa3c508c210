package faults

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// errTimeout is what a caller sees that waited too long.
var errTimeout = &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}

// errReset is what a caller sees whose connection broke.
var errReset = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// Replies are what a hop answers by itself.
type Replies struct {
	ServerError, Throttle Reply
}

// Reply is an answer that the receiver of a request had no part in.
type Reply struct {
	Status      int
	ContentType string
	Body        string
}

// The replies of the two hops.
var (
	// Gateway answers in place of the service, as API Gateway does.
	Gateway = Replies{
		ServerError: Reply{500, "application/json", `{"message":"Internal Server Error"}`},
		Throttle:    Reply{503, "application/json", `{"message":"Service Unavailable"}`},
	}
	// DynamoDB answers in place of a table.
	// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
	DynamoDB = Replies{
		ServerError: Reply{
			500, "application/x-amz-json-1.0",
			`{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The server encountered an internal error trying to fulfill the request."}`,
		},
		Throttle: Reply{
			400, "application/x-amz-json-1.0",
			`{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"The level of configured provisioned throughput for the table was exceeded."}`,
		},
	}
)

func (r Reply) to(request *http.Request) *http.Response {
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)),
		StatusCode:    r.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {r.ContentType}},
		Body:          io.NopCloser(strings.NewReader(r.Body)),
		ContentLength: int64(len(r.Body)),
		Request:       request,
	}
}
