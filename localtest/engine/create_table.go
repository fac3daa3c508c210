package engine

import (
	"slices"
	"strings"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// Limits of the service on secondary indexes.
const (
	maxLocalIndexes  = 5
	maxGlobalIndexes = 20
)

// check refuses tables that can't be.
func (r *createTableRequest) check() error {
	if err := r.checkShape(); err != nil {
		return err
	}
	if err := r.checkBilling(); err != nil {
		return err
	}
	if err := r.checkKeySchema(r.KeySchema); err != nil {
		return err
	}
	if err := r.checkIndexes(); err != nil {
		return err
	}
	return r.checkDefinitions()
}

// checkShape checks every parameter by itself.
func (r *createTableRequest) checkShape() error {
	var c constraints
	c.newName(r.TableName.name(), "tableName")
	c.oneOf(r.BillingMode, "billingMode", "PROVISIONED", "PAY_PER_REQUEST")
	c.required(r.AttributeDefinitions != nil, "attributeDefinitions")
	for _, d := range r.AttributeDefinitions {
		c.required(d.AttributeName != "", "attributeDefinitions.member.attributeName")
		c.oneOf(string(d.AttributeType), "attributeDefinitions.member.attributeType", "B", "N", "S")
	}
	c.keySchema(r.KeySchema, "keySchema")
	for _, x := range slices.Concat(r.GlobalSecondaryIndexes, r.LocalSecondaryIndexes) {
		c.newName(x.IndexName, "secondaryIndexes.member.indexName")
		c.keySchema(x.KeySchema, "secondaryIndexes.member.keySchema")
		c.required(x.Projection != nil, "secondaryIndexes.member.projection")
		if x.Projection != nil {
			c.oneOf(x.Projection.ProjectionType, "secondaryIndexes.member.projection.projectionType",
				"ALL", "INCLUDE", "KEYS_ONLY")
		}
	}
	return c.err()
}

func (c *constraints) keySchema(elements []keyElement, at string) {
	c.required(elements != nil, at)
	switch {
	case elements != nil && len(elements) == 0:
		c.fail("[]", at, "Member must have length greater than or equal to 1")
	case len(elements) > 2:
		c.fail(elements, at, "Member must have length less than or equal to 2")
	}
	for _, e := range elements {
		c.required(e.AttributeName != "", at+".member.attributeName")
		c.oneOf(e.KeyType, at+".member.keyType", "HASH", "RANGE")
	}
}

func (r *createTableRequest) checkBilling() error {
	if r.BillingMode == "PAY_PER_REQUEST" {
		if r.ProvisionedThroughput != nil {
			return invalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified " +
				"when BillingMode is PAY_PER_REQUEST")
		}
		for _, x := range r.GlobalSecondaryIndexes {
			if x.ProvisionedThroughput != nil {
				return invalidParameter("ProvisionedThroughput should not be specified for index: " + x.IndexName +
					" when BillingMode is PAY_PER_REQUEST")
			}
		}
		return nil
	}
	if p := r.ProvisionedThroughput; p == nil || p.ReadCapacityUnits < 1 || p.WriteCapacityUnits < 1 {
		return invalidParameter("ReadCapacityUnits and WriteCapacityUnits must both be specified " +
			"when BillingMode is PROVISIONED")
	}
	return nil
}

func invalidParameter(problem string) error {
	return validationf("One or more parameter values were invalid: %s", problem)
}

// checkKeySchema checks a key schema of the table or an index.
func (r *createTableRequest) checkKeySchema(elements []keyElement) error {
	names := keyNames(elements)
	definitions := make([]string, len(r.AttributeDefinitions))
	for i, d := range r.AttributeDefinitions {
		definitions[i] = d.AttributeName
	}
	for _, name := range names {
		if !slices.Contains(definitions, name) {
			return invalidParameter("Some index key attributes are not defined in AttributeDefinitions. " +
				"Keys: [" + strings.Join(names, ", ") + "], " +
				"AttributeDefinitions: [" + strings.Join(definitions, ", ") + "]")
		}
	}
	switch {
	case elements[0].KeyType != "HASH":
		return validationf("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
	case len(elements) == 2 && elements[1].KeyType != "RANGE":
		return validationf("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
	case len(elements) == 2 && names[0] == names[1]:
		return validationf("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return nil
}

func keyNames(elements []keyElement) []string {
	names := make([]string, len(elements))
	for i, e := range elements {
		names[i] = e.AttributeName
	}
	return names
}

func (r *createTableRequest) checkIndexes() error {
	switch {
	case r.LocalSecondaryIndexes != nil && len(r.LocalSecondaryIndexes) == 0:
		return invalidParameter("List of LocalSecondaryIndexes is empty")
	case r.GlobalSecondaryIndexes != nil && len(r.GlobalSecondaryIndexes) == 0:
		return invalidParameter("List of GlobalSecondaryIndexes is empty")
	case len(r.LocalSecondaryIndexes) > 0 && len(r.KeySchema) < 2:
		return invalidParameter("Table KeySchema does not have a range key, " +
			"which is required when specifying a LocalSecondaryIndex")
	case len(r.LocalSecondaryIndexes) > maxLocalIndexes:
		return invalidParameter("Number of LocalSecondaryIndexes exceeds per-table limit of 5")
	case len(r.GlobalSecondaryIndexes) > maxGlobalIndexes:
		return invalidParameter("GlobalSecondaryIndex count exceeds the per-table limit of 20")
	}
	seen := map[string]bool{}
	for _, x := range slices.Concat(r.LocalSecondaryIndexes, r.GlobalSecondaryIndexes) {
		if err := r.checkKeySchema(x.KeySchema); err != nil {
			return err
		}
		if err := x.Projection.check(); err != nil {
			return err
		}
		if seen[x.IndexName] {
			return invalidParameter("Duplicate index name: " + x.IndexName)
		}
		seen[x.IndexName] = true
	}
	for _, x := range r.LocalSecondaryIndexes {
		if len(x.KeySchema) < 2 {
			return invalidParameter("Index KeySchema does not have a range key for index: " + x.IndexName)
		}
		if hash, own := r.KeySchema[0].AttributeName, x.KeySchema[0].AttributeName; hash != own {
			return invalidParameter("Index KeySchema does not have the same leading hash key as table KeySchema " +
				"for index: " + x.IndexName + ". index hash key: " + own + ", table hash key: " + hash)
		}
	}
	return nil
}

func (p *projection) check() error {
	switch {
	case p.ProjectionType == "":
		return invalidParameter("Unknown ProjectionType: null")
	case p.NonKeyAttributes != nil && p.ProjectionType != "INCLUDE":
		return invalidParameter("ProjectionType is " + p.ProjectionType + ", but NonKeyAttributes is specified")
	case len(p.NonKeyAttributes) == 0 && p.ProjectionType == "INCLUDE":
		return invalidParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	}
	return nil
}

// checkDefinitions refuses definitions that are twice there, or no key's.
func (r *createTableRequest) checkDefinitions() error {
	used := map[string]bool{}
	schemas := [][]keyElement{r.KeySchema}
	for _, x := range slices.Concat(r.GlobalSecondaryIndexes, r.LocalSecondaryIndexes) {
		schemas = append(schemas, x.KeySchema)
	}
	for _, name := range keyNames(slices.Concat(schemas...)) {
		used[name] = true
	}
	defined := map[string]attr.Type{}
	for _, d := range r.AttributeDefinitions {
		if _, twice := defined[d.AttributeName]; twice {
			return invalidParameter("Duplicate AttributeName in AttributeDefinitions: " + d.AttributeName)
		}
		defined[d.AttributeName] = d.AttributeType
	}
	if len(defined) != len(used) {
		return invalidParameter("Number of attributes in KeySchema does not exactly match number of attributes " +
			"defined in AttributeDefinitions")
	}
	return nil
}
