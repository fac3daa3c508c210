package engine

import (
	"encoding/json"

	"github.com/statelock/statelock/localtest/engine/attr"
	"github.com/statelock/statelock/localtest/engine/expr"
)

// readRequest are the parameters that queries and scans share.
type readRequest struct {
	common
	placeholders
	IndexName            string
	Select               string
	Limit                *int
	ConsistentRead       bool
	ExclusiveStartKey    *attr.Input
	FilterExpression     *string
	ProjectionExpression *string
	AttributesToGet      json.RawMessage
	ConditionalOperator  json.RawMessage
}

type queryRequest struct {
	readRequest
	KeyConditionExpression *string
	ScanIndexForward       *bool
	KeyConditions          json.RawMessage
	QueryFilter            json.RawMessage
}

type readResponse struct {
	Items            []attr.Map `json:",omitzero"`
	Count            int
	ScannedCount     int
	LastEvaluatedKey attr.Map          `json:",omitempty"`
	ConsumedCapacity *consumedCapacity `json:",omitempty"`
}

func (r *readRequest) check(c *constraints) {
	r.common.check(c)
	if r.IndexName != "" {
		c.name(r.IndexName, "indexName")
	}
	c.oneOf(r.Select, "select", "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
	c.atLeast(r.Limit, "Limit", 1)
}

func (r *readRequest) filter() expression {
	return expression{"FilterExpression", r.FilterExpression}
}

func (r *readRequest) projection() expression {
	return expression{"ProjectionExpression", r.ProjectionExpression}
}

// checkSelect holds Select against the projection it goes with.
func (r *readRequest) checkSelect() error {
	switch {
	case r.Select == "ALL_PROJECTED_ATTRIBUTES" && r.IndexName == "":
		return validationf("One or more parameter values were invalid: " +
			"ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	case r.ProjectionExpression != nil && r.Select != "" && r.Select != "SPECIFIC_ATTRIBUTES":
		return validationf("Cannot specify the ProjectionExpression when choosing to get %s", r.Select)
	case r.ProjectionExpression == nil && r.Select == "SPECIFIC_ATTRIBUTES":
		return validationf("Must specify the ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
	}
	return nil
}

// checkStartKey checks the values of the start key.
func (r *readRequest) checkStartKey() error {
	if r.ExclusiveStartKey == nil || r.ExclusiveStartKey.Err == nil {
		return nil
	}
	return validationf("The provided starting key is invalid: %s", r.ExclusiveStartKey.Err)
}

// expressions are what a read's filter and projection were parsed to.
type readExpressions struct {
	params      *expr.Params
	filter      expr.Condition
	filterPaths []expr.Path
	projection  []expr.Path
}

// parse checks filter and projection; p may have been used before.
func (r *readRequest) parse(p *expr.Params) (readExpressions, error) {
	x := readExpressions{params: p}
	var err error
	if x.filter, x.filterPaths, err = r.filter().condition(p); err != nil {
		return x, err
	}
	if x.projection, err = r.projection().projection(p); err != nil {
		return x, err
	}
	return x, p.CheckUnused()
}

// view finds the table or index to read; the caller holds state.
func (e *Engine) view(r *readRequest) (view, error) {
	t, err := e.table(r.TableName.name())
	if err != nil {
		return view{}, err
	}
	v := view{table: t}
	if r.IndexName == "" {
		return v, nil
	}
	if v.index = t.index(r.IndexName); v.index == nil {
		return v, validationf("The table does not have the specified index: %s", r.IndexName)
	}
	if v.index.global && r.ConsistentRead {
		return v, validationf("Consistent reads are not supported on global secondary indexes")
	}
	if v.index.global && !v.index.all && r.Select == "ALL_ATTRIBUTES" {
		return v, validationf("One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "+
			"for global secondary index %s because its projection type is not ALL", r.IndexName)
	}
	return v, nil
}

// page puts together what to read of a view.
func (r *readRequest) page(v view, x readExpressions) *pageRequest {
	p := &pageRequest{
		view:      v,
		paths:     x.projection,
		countOnly: r.Select == "COUNT",
		// A local index fetches what it lacks from the table.
		whole: v.index != nil && !v.index.global && (r.Select == "ALL_ATTRIBUTES" || x.projection != nil),
	}
	if r.Limit != nil {
		p.limit = *r.Limit
	}
	if x.filter != nil {
		p.filter = func(item attr.Map) bool { return x.params.Eval(x.filter, item) }
	}
	return p
}

func (r *readRequest) response(p page) *readResponse {
	response := &readResponse{
		Items:            p.items,
		Count:            p.count,
		ScannedCount:     p.scanned,
		LastEvaluatedKey: p.last,
		ConsumedCapacity: capacity(&r.common, readUnits(p.size, r.ConsistentRead)),
	}
	if response.Items == nil && r.Select != "COUNT" {
		response.Items = []attr.Map{}
	}
	return response
}

func (e *Engine) query(r *queryRequest) (*readResponse, error) {
	var c constraints
	r.check(&c)
	if err := c.err(); err != nil {
		return nil, err
	}
	keyCondition := expression{"KeyConditionExpression", r.KeyConditionExpression}
	old := legacy{
		"AttributesToGet":     r.AttributesToGet,
		"ConditionalOperator": r.ConditionalOperator,
		"KeyConditions":       r.KeyConditions,
		"QueryFilter":         r.QueryFilter,
	}
	if err := old.refuse(r.projection(), r.filter(), keyCondition); err != nil {
		return nil, err
	}
	if err := r.checkStartKey(); err != nil {
		return nil, err
	}
	if r.KeyConditionExpression == nil {
		return nil, validationf("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	p, err := r.params(r.filter(), keyCondition)
	if err != nil {
		return nil, err
	}
	condition, _, err := keyCondition.condition(p)
	if err != nil {
		return nil, err
	}
	x, err := r.parse(p)
	if err != nil {
		return nil, err
	}
	conditions, err := p.KeyConditions(condition)
	if err != nil {
		return nil, invalidValue("", err)
	}
	if err := r.checkSelect(); err != nil {
		return nil, err
	}

	e.state.RLock()
	defer e.state.RUnlock()
	v, err := e.view(&r.readRequest)
	if err != nil {
		return nil, err
	}
	page := r.page(v, x)
	page.reverse = r.ScanIndexForward != nil && !*r.ScanIndexForward
	if page.keys, err = v.key().keyRange(conditions); err != nil {
		return nil, err
	}
	if err := v.table.checkPaths(x.filterPaths, x.projection); err != nil {
		return nil, err
	}
	for _, path := range x.filterPaths {
		if name := path[0].Name; v.key().has(name) {
			return nil, validationf("Filter Expression can only contain non-primary key attributes: "+
				"Primary key attribute: %s", name)
		}
	}
	if r.ExclusiveStartKey != nil {
		position, err := v.position(r.ExclusiveStartKey.Map)
		if err != nil {
			return nil, err
		}
		if err := v.key().checkStart(r.ExclusiveStartKey.Map, position, page.keys, conditions); err != nil {
			return nil, err
		}
		page.keys = page.keys.resume(position, !page.reverse)
	}
	return r.response(page.read()), nil
}
