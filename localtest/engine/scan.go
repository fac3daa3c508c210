package engine

import (
	"encoding/json"

	"github.com/statelock/statelock/localtest/engine/attr"
)

type scanRequest struct {
	readRequest
	Segment       *int
	TotalSegments *int
	ScanFilter    json.RawMessage
}

// maxSegments is how many parts a scan can be split into.
const maxSegments = 1000000

func (e *Engine) scan(r *scanRequest) (*readResponse, error) {
	var c constraints
	r.check(&c)
	c.atLeast(r.TotalSegments, "TotalSegments", 1)
	c.atLeast(r.Segment, "Segment", 0)
	if r.TotalSegments != nil && *r.TotalSegments > maxSegments {
		c.fail(*r.TotalSegments, "totalSegments", "Member must have value less than or equal to 1000000")
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	old := legacy{
		"AttributesToGet":     r.AttributesToGet,
		"ConditionalOperator": r.ConditionalOperator,
		"ScanFilter":          r.ScanFilter,
	}
	if err := old.refuse(r.projection(), r.filter()); err != nil {
		return nil, err
	}
	if err := r.checkSegment(); err != nil {
		return nil, err
	}
	if err := r.checkStartKey(); err != nil {
		return nil, err
	}
	if err := r.namesNeedExpression(r.filter(), r.projection()); err != nil {
		return nil, err
	}
	p, err := r.params(r.filter())
	if err != nil {
		return nil, err
	}
	x, err := r.parse(p)
	if err != nil {
		return nil, err
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
	if err := v.table.checkPaths(x.filterPaths, x.projection); err != nil {
		return nil, err
	}
	page := r.page(v, x)
	if r.TotalSegments != nil {
		page.skip = func(item attr.Map) bool { return v.segment(item, *r.TotalSegments) != *r.Segment }
	}
	if r.ExclusiveStartKey != nil {
		position, err := v.position(r.ExclusiveStartKey.Map)
		if err != nil {
			return nil, err
		}
		if page.skip != nil && page.skip(r.ExclusiveStartKey.Map) {
			return nil, validationf("The provided starting key is invalid: "+
				"Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "+
				"TotalSegments: %d Segment: %d", *r.TotalSegments, *r.Segment)
		}
		page.keys = page.keys.resume(position, true)
	}
	return r.response(page.read()), nil
}

func (r *scanRequest) checkSegment() error {
	switch {
	case r.Segment == nil && r.TotalSegments == nil:
		return nil
	case r.TotalSegments == nil:
		return validationf("The TotalSegments parameter is required but was not present in the request " +
			"when Segment parameter is present")
	case r.Segment == nil:
		return validationf("The Segment parameter is required but was not present in the request " +
			"when parameter TotalSegments is present")
	case *r.Segment >= *r.TotalSegments:
		return validationf("The Segment parameter is zero-based and must be less than parameter TotalSegments: "+
			"Segment: %d is not less than TotalSegments: %d", *r.Segment, *r.TotalSegments)
	}
	return nil
}
