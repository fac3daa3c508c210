package engine

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/statelock/statelock/localtest/engine/attr"
)

const (
	// maxTransact is how many items one transaction touches.
	maxTransact = 100
	// maxTransactSize is how large they may be together.
	maxTransactSize = 4 << 20
)

type (
	transactWriteRequest struct {
		TransactItems               json.RawMessage
		ClientRequestToken          string
		ReturnConsumedCapacity      string
		ReturnItemCollectionMetrics string
	}
	// transactWrite is one item of a transaction; one of its members is set.
	transactWrite struct {
		ConditionCheck, Put, Delete, Update *transactAction
	}
	transactAction struct {
		conditional
		TableName        tableRef
		Key              *attr.Input
		Item             *attr.Input
		UpdateExpression *string
	}
	transactWriteResponse struct {
		ConsumedCapacity []*consumedCapacity `json:",omitempty"`
	}
	// cancellationReason says what became of one item of a transaction that was
	// not done.
	cancellationReason struct {
		Code    string
		Message string   `json:",omitempty"`
		Item    attr.Map `json:",omitempty"`
	}
)

func (e *Engine) transactWriteItems(r *transactWriteRequest) (*transactWriteResponse, error) {
	all, err := r.writes()
	if err != nil {
		return nil, err
	}
	var tok token
	if r.ClientRequestToken != "" {
		if tok, err = newToken(r.TransactItems, time.Now()); err != nil {
			return nil, err
		}
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	done, err := e.seen(r.ClientRequestToken, tok)
	if err != nil || done {
		return &transactWriteResponse{}, err
	}
	writes, err := e.prepareAll(all)
	if err != nil {
		return nil, err
	}
	if err := e.commitWithToken(writes, r.ClientRequestToken, tok); err != nil {
		return nil, err
	}
	return &transactWriteResponse{capacities(r.ReturnConsumedCapacity, writes)}, nil
}

// prepareAll prepares the writes of a transaction. If any can't be done none is,
// and the error tells about each.
func (e *Engine) prepareAll(all []*itemWrite) ([]write, error) {
	writes := make([]write, len(all))
	errs := make([]error, len(all))
	for i, w := range all {
		if _, err := e.table(w.table); err != nil {
			return nil, err
		}
		writes[i], errs[i] = e.locate(w)
		if errs[i] == nil && writes[i].repeats(writes[:i]) {
			return nil, validationf("Transaction request cannot include multiple operations on one item")
		}
	}
	for i, w := range all {
		if errs[i] == nil {
			writes[i], errs[i] = w.decide(writes[i])
		}
	}
	return writes, canceled(errs)
}

// canceled is the error for a transaction whose items met errs, nil if there is
// none.
func canceled(errs []error) error {
	reasons := make([]cancellationReason, len(errs))
	codes := make([]string, len(errs))
	failed := false
	for i, err := range errs {
		if failure, ok := errors.AsType[*apiError](err); ok && failure.upFront {
			return failure
		}
		reasons[i] = reasonFor(err)
		codes[i] = reasons[i].Code
		failed = failed || err != nil
	}
	if !failed {
		return nil
	}
	e := errorf("TransactionCanceledException",
		"Transaction cancelled, please refer cancellation reasons for specific reasons [%s]", strings.Join(codes, ", "))
	e.Reasons = reasons
	return e
}

func reasonFor(err error) cancellationReason {
	if err == nil {
		return cancellationReason{Code: "None"}
	}
	failure := asAPIError(err)
	code := "ValidationError"
	if strings.HasSuffix(failure.Type, "ConditionalCheckFailedException") {
		code = "ConditionalCheckFailed"
	}
	return cancellationReason{code, failure.Message, failure.Item}
}

// writes checks the request as far as that is possible without the tables.
func (r *transactWriteRequest) writes() ([]*itemWrite, error) {
	var items []transactWrite
	if r.TransactItems != nil {
		if err := json.Unmarshal(r.TransactItems, &items); err != nil {
			return nil, malformed(err)
		}
	}
	var c constraints
	c.transactItems(len(items))
	c.oneOf(r.ReturnConsumedCapacity, "returnConsumedCapacity", "INDEXES", "TOTAL", "NONE")
	c.oneOf(r.ReturnItemCollectionMetrics, "returnItemCollectionMetrics", "SIZE", "NONE")
	c.token(r.ClientRequestToken)
	if err := c.err(); err != nil {
		return nil, err
	}
	all := make([]*itemWrite, len(items))
	size := 0
	for i := range items {
		var err error
		if all[i], err = items[i].write(); err != nil {
			return nil, err
		}
		size += all[i].key.ItemSize()
	}
	return all, checkTransactSize(size)
}

// checkTransactSize refuses transactions over too many bytes of items.
func checkTransactSize(size int) error {
	if size > maxTransactSize {
		return validationf("The aggregate size of the items in the transaction exceeds the limit of 4 MB")
	}
	return nil
}

// transactItems refuses transactions of no item or too many.
func (c *constraints) transactItems(n int) {
	switch {
	case n == 0:
		c.fail("[]", "transactItems", "Member must have length greater than or equal to 1")
	case n > maxTransact:
		c.fail("[...]", "transactItems", "Member must have length less than or equal to 100")
	}
}

func (t *transactWrite) write() (*itemWrite, error) {
	var action *transactAction
	given := 0
	for _, a := range []*transactAction{t.ConditionCheck, t.Put, t.Delete, t.Update} {
		if a != nil {
			action = a
			given++
		}
	}
	switch {
	case given == 0:
		return nil, validationf("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request")
	case given > 1:
		return nil, validationf("TransactItems can only contain one of Check, Put, Update or Delete")
	}
	var c constraints
	c.name(action.TableName.name(), "transactItems.member.tableName")
	c.required(action == t.Put || action.Key != nil, "transactItems.member.key")
	c.required(action != t.Put || action.Item != nil, "transactItems.member.put.item")
	c.required(action != t.Update || action.UpdateExpression != nil, "transactItems.member.update.updateExpression")
	c.required(action != t.ConditionCheck || action.ConditionExpression != nil,
		"transactItems.member.conditionCheck.conditionExpression")
	action.conditional.check(&c)
	if err := c.err(); err != nil {
		return nil, err
	}
	var w *itemWrite
	var err error
	switch action {
	case t.Put:
		w, err = action.put(action.Item)
	case t.Update:
		w, err = action.update(action.Key, action.UpdateExpression)
	default:
		w, err = action.delete(action.Key)
	}
	if err != nil {
		return nil, err
	}
	w.table = action.TableName.name()
	w.check = action == t.ConditionCheck
	return w, nil
}
