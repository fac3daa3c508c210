package differential

// writeCase is one conditional write to an item, and how it left the item.
func writeCase(g *draws) Case {
	key := object{"k": object{"S": "key"}}
	c, item := setUp(g, key)
	return append(c, g.write(key, item), g.get(key, item))
}

// setUp puts an item at key, or none. What the case before left there goes in
// any case, for the databases may refuse the item.
func setUp(g *draws, key object) (c Case, item object) {
	c = Case{{Operation: "DeleteItem", Body: object{"TableName": itemsTable, "Key": key}}}
	if g.oneIn(5) {
		return c, nil
	}
	item = g.item(key)
	return append(c, Request{Operation: "PutItem", Body: object{"TableName": itemsTable, "Item": item}}), item
}

func (g *draws) write(key, item object) Request {
	x, body := newExpressions(g, item), object{"TableName": itemsTable}
	operation := pick(g, "UpdateItem", "UpdateItem", "UpdateItem", "PutItem", "DeleteItem")
	x.action(operation, body, key)
	if g.below(2) > 0 {
		body["ConditionExpression"] = x.condition(2)
	}
	if g.below(2) > 0 {
		returns := []string{"ALL_OLD", "NONE"}
		if operation == "UpdateItem" || g.oneIn(15) {
			returns = append(returns, "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
		}
		body["ReturnValues"] = pick(g, returns...)
		if g.oneIn(60) {
			body["ReturnValues"] = "SOME"
		}
	}
	if g.below(3) > 0 {
		body["ReturnValuesOnConditionCheckFailure"] = pick(g, "ALL_OLD", "ALL_OLD", "NONE")
	}
	x.fill(body)
	return Request{Operation: operation, Body: body}
}

// action fills in what a write does: its item, or its key and update.
func (x *expressions) action(operation string, body, key object) {
	switch operation {
	case "PutItem":
		item := x.draws.item(x.aKey(key))
		if x.oneIn(8) {
			item["a"] = x.value()
		}
		body["Item"] = item
	case "UpdateItem":
		if x.below(20) > 0 {
			body["UpdateExpression"] = x.update()
		}
		fallthrough
	default:
		body["Key"] = x.aKey(key)
	}
}

// aKey is key, or rarely one that has not the table's form.
func (x *expressions) aKey(key object) object {
	if x.oneIn(80) {
		return pick(x.draws, object{}, object{"k": object{"S": ""}}, object{"k": object{"N": "1"}},
			object{"k": object{"S": "key"}, "z": object{"S": "a"}}, object{"z": object{"S": "key"}}, object{"k": object{}})
	}
	return key
}

func (g *draws) get(key, item object) Request {
	body := object{"TableName": itemsTable, "Key": key, "ConsistentRead": true}
	if g.oneIn(4) {
		x := newExpressions(g, item)
		body["ProjectionExpression"] = x.projection()
		x.fill(body)
	}
	return Request{Operation: "GetItem", Body: body}
}
