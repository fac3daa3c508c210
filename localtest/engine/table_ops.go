package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/localtest/engine/kv"
)

type (
	indexRequest struct {
		IndexName             string
		KeySchema             []keyElement
		Projection            *projection
		ProvisionedThroughput *throughput
	}
	createTableRequest struct {
		TableName                 tableRef
		AttributeDefinitions      []attributeDefinition
		KeySchema                 []keyElement
		BillingMode               string
		ProvisionedThroughput     *throughput
		GlobalSecondaryIndexes    []indexRequest
		LocalSecondaryIndexes     []indexRequest
		DeletionProtectionEnabled bool
	}
	createTableResponse struct{ TableDescription *tableDescription }

	tableRequest          struct{ TableName tableRef }
	describeTableResponse struct{ Table *tableDescription }
)

// arn is a table's ARN; the account is nobody's.
func arn(name string) string { return "arn:aws:dynamodb:" + Region + ":000000000000:table/" + name }

func (e *Engine) createTable(r *createTableRequest) (*createTableResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	name := r.TableName.name()
	e.writing.Lock()
	defer e.writing.Unlock()
	if _, exists := e.tables[name]; exists {
		return nil, errorf("ResourceInUseException", "Table already exists: %s", name)
	}
	t := newTable(tableMeta{Description: r.describe(time.Now())})
	if err := e.putTable(t); err != nil {
		return nil, err
	}
	return &createTableResponse{t.describe()}, nil
}

// describe is the description of the table that is asked for.
func (r *createTableRequest) describe(now time.Time) tableDescription {
	name := r.TableName.name()
	d := tableDescription{
		TableName:                 name,
		TableArn:                  arn(name),
		TableID:                   uuid.NewString(),
		TableStatus:               "ACTIVE",
		CreationDateTime:          epoch(now),
		AttributeDefinitions:      r.AttributeDefinitions,
		KeySchema:                 r.KeySchema,
		GlobalSecondaryIndexes:    describeIndexes(name, r.GlobalSecondaryIndexes, "ACTIVE"),
		LocalSecondaryIndexes:     describeIndexes(name, r.LocalSecondaryIndexes, ""),
		DeletionProtectionEnabled: r.DeletionProtectionEnabled,
	}
	if r.BillingMode == "PAY_PER_REQUEST" {
		d.BillingModeSummary = &billingSummary{r.BillingMode}
	}
	if r.ProvisionedThroughput != nil {
		d.ProvisionedThroughput = *r.ProvisionedThroughput
	}
	return d
}

// describeIndexes are the descriptions of new indexes; local ones have no
// status.
func describeIndexes(table string, requests []indexRequest, status string) []indexDescription {
	var all []indexDescription
	for _, x := range requests {
		d := indexDescription{
			IndexName:   x.IndexName,
			KeySchema:   x.KeySchema,
			Projection:  x.Projection,
			IndexStatus: status,
			IndexArn:    arn(table) + "/index/" + x.IndexName,
		}
		if status != "" {
			d.ProvisionedThroughput = cmpOrZero(x.ProvisionedThroughput)
		}
		all = append(all, d)
	}
	return all
}

func cmpOrZero(t *throughput) *throughput {
	if t == nil {
		return &throughput{}
	}
	return t
}

// putTable adds a table or replaces its settings, in the file first.
func (e *Engine) putTable(t *table) error {
	name := t.meta.Description.TableName
	err := e.persist(func(tx kv.Tx) error { return putJSON(tx, tablesBucket, name, t.meta) })
	if err != nil {
		return err
	}
	e.state.Lock()
	defer e.state.Unlock()
	e.tables[name] = t
	return nil
}

func (r *tableRequest) check() error {
	var c constraints
	c.name(r.TableName.name(), "tableName")
	return c.err()
}

func (e *Engine) describeTable(r *tableRequest) (*describeTableResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	e.state.RLock()
	defer e.state.RUnlock()
	t, err := e.table(r.TableName.name())
	if err != nil {
		return nil, errorf("ResourceNotFoundException", "Requested resource not found: Table: %s not found", r.TableName.name())
	}
	return &describeTableResponse{t.describe()}, nil
}

func (e *Engine) deleteTable(r *tableRequest) (*createTableResponse, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	name := r.TableName.name()
	e.writing.Lock()
	defer e.writing.Unlock()
	t, err := e.table(name)
	if err != nil {
		return nil, errorf("ResourceNotFoundException", "Requested resource not found: Table: %s not found", name)
	}
	if t.meta.Description.DeletionProtectionEnabled {
		return nil, validationf("Resource cannot be deleted as it is currently protected against deletion. " +
			"Disable deletion protection first.")
	}
	err = e.persist(func(tx kv.Tx) error {
		if err := tx.Delete(tablesBucket, []byte(name)); err != nil {
			return err
		}
		return tx.Drop(itemsBucket(t))
	})
	if err != nil {
		return nil, err
	}
	e.state.Lock()
	defer e.state.Unlock()
	delete(e.tables, name)
	d := t.describe()
	d.TableStatus = "DELETING"
	return &createTableResponse{d}, nil
}

type (
	listTablesRequest struct {
		ExclusiveStartTableName string
		Limit                   *int
	}
	listTablesResponse struct {
		TableNames             []string
		LastEvaluatedTableName string `json:",omitempty"`
	}
)

// maxTables is how many names ListTables gives at once.
const maxTables = 100

func (e *Engine) listTables(r *listTablesRequest) (*listTablesResponse, error) {
	var c constraints
	limit := maxTables
	if r.Limit != nil {
		limit = *r.Limit
	}
	switch {
	case limit < 1:
		c.fail(limit, "limit", "Member must have value greater than or equal to 1")
	case limit > maxTables:
		c.fail(limit, "limit", "Member must have value less than or equal to 100")
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	e.state.RLock()
	names := slices.AppendSeq([]string{}, maps.Keys(e.tables))
	e.state.RUnlock()
	slices.Sort(names)
	from, found := slices.BinarySearch(names, r.ExclusiveStartTableName)
	if found {
		from++
	}
	response := &listTablesResponse{TableNames: names[from:]}
	if len(response.TableNames) > limit {
		response.TableNames = response.TableNames[:limit]
		response.LastEvaluatedTableName = response.TableNames[limit-1]
	}
	return response, nil
}
