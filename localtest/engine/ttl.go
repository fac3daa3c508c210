package engine

import "github.com/statelock/statelock/localtest/engine/kv"

type (
	timeToLive struct {
		AttributeName string
		Enabled       bool
	}
	updateTimeToLiveRequest struct {
		TableName               tableRef
		TimeToLiveSpecification *timeToLive
	}
	updateTimeToLiveResponse struct{ TimeToLiveSpecification *timeToLive }

	timeToLiveDescription struct {
		TimeToLiveStatus string
		AttributeName    string `json:",omitempty"`
	}
	describeTimeToLiveResponse struct{ TimeToLiveDescription timeToLiveDescription }
)

func (e *Engine) updateTimeToLive(r *updateTimeToLiveRequest) (*updateTimeToLiveResponse, error) {
	spec := r.TimeToLiveSpecification
	var c constraints
	c.name(r.TableName.name(), "tableName")
	c.required(spec != nil, "timeToLiveSpecification")
	if spec != nil {
		c.required(spec.AttributeName != "", "timeToLiveSpecification.attributeName")
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	t, err := e.table(r.TableName.name())
	if err != nil {
		return nil, err
	}
	current := t.meta.TTLAttribute
	switch {
	case spec.Enabled && current == spec.AttributeName:
		return nil, validationf("TimeToLive is already enabled")
	case spec.Enabled && current != "":
		return nil, validationf("TimeToLive is active on a different AttributeName: current AttributeName is %s", current)
	case !spec.Enabled && current == "":
		return nil, validationf("TimeToLive is already disabled")
	case !spec.Enabled && current != spec.AttributeName:
		return nil, validationf("TimeToLive is active on a different AttributeName: current AttributeName is %s", current)
	}
	meta := t.meta
	meta.TTLAttribute = ""
	if spec.Enabled {
		meta.TTLAttribute = spec.AttributeName
	}
	name := meta.Description.TableName
	if err := e.persist(func(tx kv.Tx) error { return putJSON(tx, tablesBucket, name, meta) }); err != nil {
		return nil, err
	}
	e.state.Lock()
	defer e.state.Unlock()
	t.meta = meta
	return &updateTimeToLiveResponse{spec}, nil
}

func (e *Engine) describeTimeToLive(r *tableRequest) (*describeTimeToLiveResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	e.state.RLock()
	defer e.state.RUnlock()
	t, err := e.table(r.TableName.name())
	if err != nil {
		return nil, err
	}
	d := timeToLiveDescription{TimeToLiveStatus: "DISABLED"}
	if t.meta.TTLAttribute != "" {
		d = timeToLiveDescription{"ENABLED", t.meta.TTLAttribute}
	}
	return &describeTimeToLiveResponse{d}, nil
}
