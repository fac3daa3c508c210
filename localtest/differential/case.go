package differential

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Case is requests that are sent one after the other, each to both databases.
type Case []Request

// Request is one operation of the JSON protocol.
type Request struct {
	Operation string
	Body      object
	// Pages says to go on where an answer ends, as long as there is more.
	Pages bool
	// Unordered says that Items come in no order that clients may rely on.
	Unordered bool
}

// String is the case as a specimen in known.go has it.
func (c Case) String() string {
	var lines []string
	for _, r := range c {
		lines = append(lines, r.String())
	}
	return strings.Join(lines, "\n")
}

func (r Request) String() string {
	var body strings.Builder
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	_ = e.Encode(r.Body) // it is made of what JSON can say
	return r.Operation + " " + strings.TrimSpace(body.String())
}

// parseCase reads what String wrote.
func parseCase(text string) (Case, error) {
	var c Case
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		operation, body, _ := strings.Cut(strings.TrimSpace(line), " ")
		r := Request{Operation: operation, Unordered: operation == "Scan"}
		if err := json.Unmarshal([]byte(body), &r.Body); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		c = append(c, r)
	}
	return c, nil
}

// A family is a kind of case.
type family struct {
	name string
	make func(*draws) Case
}

// The tables that cases use. Those of pairs differ in the type of sk.
const (
	itemsTable = "items"
	pairsTable = "pairs-" // and a type
)

func createTables() Case {
	key := func(names ...string) []object {
		schema := []object{{"AttributeName": names[0], "KeyType": "HASH"}}
		if len(names) > 1 {
			schema = append(schema, object{"AttributeName": names[1], "KeyType": "RANGE"})
		}
		return schema
	}
	attribute := func(name, typ string) object { return object{"AttributeName": name, "AttributeType": typ} }
	all := object{"ProjectionType": "ALL"}
	c := Case{{Operation: "CreateTable", Body: object{
		"TableName": itemsTable, "BillingMode": "PAY_PER_REQUEST", "KeySchema": key("k"),
		"AttributeDefinitions": []object{attribute("k", "S")},
	}}}
	for _, typ := range []string{"S", "N", "B"} {
		c = append(c, Request{Operation: "CreateTable", Body: object{
			"TableName": pairsTable + typ, "BillingMode": "PAY_PER_REQUEST", "KeySchema": key("k", "s"),
			"AttributeDefinitions": []object{
				attribute("k", "S"), attribute("s", typ), attribute("g", "S"), attribute("h", "N"),
			},
			"GlobalSecondaryIndexes": []object{{"IndexName": "global", "KeySchema": key("g", "h"), "Projection": all}},
			"LocalSecondaryIndexes":  []object{{"IndexName": "local", "KeySchema": key("k", "h"), "Projection": all}},
		}})
	}
	return c
}
