package engine

import (
	"time"

	"github.com/statelock/statelock/localtest/engine/attr"
)

// The shapes of table descriptions, as the protocol has them.
type (
	keyElement struct {
		AttributeName string
		KeyType       string
	}
	attributeDefinition struct {
		AttributeName string
		AttributeType attr.Type
	}
	projection struct {
		ProjectionType   string   `json:",omitempty"`
		NonKeyAttributes []string `json:",omitempty"`
	}
	throughput struct {
		ReadCapacityUnits  int64
		WriteCapacityUnits int64
	}
	billingSummary struct {
		BillingMode string
	}
	indexDescription struct {
		IndexName             string
		KeySchema             []keyElement
		Projection            *projection
		ProvisionedThroughput *throughput `json:",omitempty"`
		IndexStatus           string      `json:",omitempty"`
		IndexArn              string      `json:",omitempty"`
		IndexSizeBytes        int
		ItemCount             int
	}
	tableDescription struct {
		TableName                 string
		TableArn                  string
		TableID                   string `json:"TableId"`
		TableStatus               string
		CreationDateTime          float64
		AttributeDefinitions      []attributeDefinition
		KeySchema                 []keyElement
		BillingModeSummary        *billingSummary `json:",omitempty"`
		ProvisionedThroughput     throughput
		GlobalSecondaryIndexes    []indexDescription `json:",omitempty"`
		LocalSecondaryIndexes     []indexDescription `json:",omitempty"`
		DeletionProtectionEnabled bool
		TableSizeBytes            int
		ItemCount                 int
	}
)

// epoch is a time as descriptions have it: seconds with a fraction.
func epoch(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// keyAttribute is an attribute that is part of a key.
type keyAttribute struct {
	name string
	typ  attr.Type
}

// keySchema is the key of a table or an index. sort.name is empty if there is
// only a partition key.
type keySchema struct{ hash, sort keyAttribute }

func newKeySchema(elements []keyElement, definitions []attributeDefinition) keySchema {
	types := map[string]attr.Type{}
	for _, d := range definitions {
		types[d.AttributeName] = d.AttributeType
	}
	attribute := func(i int) keyAttribute {
		name := elements[i].AttributeName
		return keyAttribute{name, types[name]}
	}
	k := keySchema{hash: attribute(0)}
	if len(elements) > 1 {
		k.sort = attribute(1)
	}
	return k
}

// attributes are the key's attributes, partition key first.
func (k keySchema) attributes() []keyAttribute {
	if k.sort.name == "" {
		return []keyAttribute{k.hash}
	}
	return []keyAttribute{k.hash, k.sort}
}

// has reports whether an attribute is part of the key.
func (k keySchema) has(name string) bool {
	return name == k.hash.name || name == k.sort.name && name != ""
}

// append appends the bytes under which item is filed: they sort by partition,
// then by sort key. item has the key's attributes, of the right types.
func (k keySchema) append(dst []byte, item attr.Map) []byte {
	dst = attr.AppendKey(dst, item[k.hash.name])
	if k.sort.name != "" {
		dst = attr.AppendKey(dst, item[k.sort.name])
	}
	return dst
}

// covers reports whether item has all of the key's attributes.
func (k keySchema) covers(item attr.Map) bool {
	_, hash := item[k.hash.name]
	_, sort := item[k.sort.name]
	return hash && (sort || k.sort.name == "")
}

// Longest key values, in bytes.
const (
	maxHashLength = 2048
	maxSortLength = 1024
)

// checkLengths refuses key values that are empty or too long.
func (k keySchema) checkLengths(item attr.Map) error {
	for _, a := range k.attributes() {
		v := item[a.name]
		if v.Type() == attr.TypeNumber {
			continue
		}
		size := v.Size()
		switch {
		case size == 0:
			return emptyKey(a)
		case a == k.hash && size > maxHashLength:
			return validationf("One or more parameter values were invalid: "+
				"Size of hashkey has exceeded the maximum size limit of%d bytes", maxHashLength)
		case a == k.sort && size > maxSortLength:
			return validationf("One or more parameter values were invalid: "+
				"Aggregated size of all range keys has exceeded the size limit of %d bytes", maxSortLength)
		}
	}
	return nil
}

// checkKey checks a Key parameter: exactly the key's attributes.
func (k keySchema) checkKey(key attr.Map) error {
	attributes := k.attributes()
	if len(key) != len(attributes) {
		return errKeySchema
	}
	for _, a := range attributes {
		if v, ok := key[a.name]; !ok || v.Type() != a.typ {
			return errKeySchema
		}
	}
	return k.checkLengths(key)
}

const errKeySchema attr.Invalid = "The provided key element does not match the schema"

// checkItem checks the key attributes of an item to be written.
func (k keySchema) checkItem(item attr.Map) error {
	for _, a := range k.attributes() {
		v, ok := item[a.name]
		if !ok {
			return validationf("One or more parameter values were invalid: Missing the key %s in the item", a.name)
		}
		if v.Type() != a.typ {
			return validationf("One or more parameter values were invalid: "+
				"Type mismatch for key %s expected: %s actual: %s", a.name, a.typ, v.Type())
		}
	}
	return k.checkLengths(item)
}

// emptyIndexKey is the error for an item with an empty index key.
func emptyIndexKey(index string, a keyAttribute) error {
	return emptyValue("A value specified for a secondary index key is not supported. "+emptyKeyValue+
		" IndexName: %s, IndexKey: %s", a.kind(), index, a.name)
}

// emptyUpdatedIndexKey is the error for an update that empties an index key.
func emptyUpdatedIndexKey(_ string, a keyAttribute) error {
	return emptyValue("The update expression attempted to update a secondary index key to a value "+
		"that is not supported. "+emptyKeyValue, a.kind())
}

// emptyKey is the error for an empty key attribute.
func emptyKey(a keyAttribute) error { return emptyValue(emptyKeyValue+" Key: %s", a.kind(), a.name) }

const emptyKeyValue = "The AttributeValue for a key attribute cannot contain an empty %s value."

// emptyValue is the error for an empty key. A transaction does not cancel for
// it: it is refused as a whole.
func emptyValue(format string, args ...any) error {
	e := validationf("One or more parameter values are not valid. "+format, args...)
	e.upFront = true
	return e
}

// kind is what messages call an attribute's type.
func (a keyAttribute) kind() string {
	if a.typ == attr.TypeBinary {
		return "binary"
	}
	return "string"
}
