package engine

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// apiError is an answer that the service gives instead of a result. Its JSON is
// the body of the response.
type apiError struct {
	Type    string               `json:"__type"`
	Message string               `json:"message,omitempty"`
	Item    attr.Map             `json:",omitempty"`
	Reasons []cancellationReason `json:"CancellationReasons,omitempty"`
	status  int
	// upFront tells of a fault that the service finds before it begins a
	// transaction.
	upFront bool
}

// Error is the message with its type.
func (e *apiError) Error() string { return e.Type + ": " + e.Message }

// The namespaces that DynamoDB puts before the names of its errors.
const (
	ownNamespace      = "com.amazonaws.dynamodb.v20120810#"
	coralNamespace    = "com.amazon.coral.service#"
	validateNamespace = "com.amazon.coral.validate#"
)

func errorf(name, format string, args ...any) *apiError {
	return &apiError{Type: ownNamespace + name, Message: fmt.Sprintf(format, args...), status: http.StatusBadRequest}
}

func validationf(format string, args ...any) *apiError {
	e := errorf("", format, args...)
	e.Type = validateNamespace + "ValidationException"
	return e
}

// invalidValue puts a message in front of the error of a value or expression,
// unless it is another error.
func invalidValue(prefix string, err error) error {
	if invalid, ok := errors.AsType[attr.Invalid](err); ok {
		return validationf("%s%s", prefix, string(invalid))
	}
	return err
}

func serializationError(err error) *apiError {
	return &apiError{Type: coralNamespace + "SerializationException", Message: err.Error(), status: http.StatusBadRequest}
}

func unknownOperation() *apiError {
	return &apiError{Type: coralNamespace + "UnknownOperationException", status: http.StatusBadRequest}
}

func tableNotFound() *apiError {
	return errorf("ResourceNotFoundException", "Requested resource not found")
}

func conditionFailed(item attr.Map) *apiError {
	e := errorf("ConditionalCheckFailedException", "The conditional request failed")
	e.Item = item
	return e
}

// asAPIError turns any error into an answer. One that is not the caller's doing
// is an InternalServerError, which clients may retry.
func asAPIError(err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	if invalid, ok := errors.AsType[attr.Invalid](err); ok {
		return validationf("%s", string(invalid))
	}
	e := errorf("InternalServerError", "%v", err)
	e.status = http.StatusInternalServerError
	return e
}

// malformed is the error for a request that does not decode.
func malformed(err error) error {
	if _, ok := errors.AsType[attr.Invalid](err); ok {
		return err
	}
	return serializationError(err)
}
