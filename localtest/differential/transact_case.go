package differential

// transactCase is some items, a transaction that writes to them, and a
// transaction that reads them.
func transactCase(g *draws) Case {
	keys := []object{{"k": object{"S": "t1"}}, {"k": object{"S": "t2"}}, {"k": object{"S": "t3"}}}
	var c Case
	var items []object
	for _, key := range keys {
		before, item := setUp(g, key)
		c, items = append(c, before...), append(items, item)
	}
	var actions, gets []any
	for i := range 1 + g.below(3) {
		if g.oneIn(20) {
			i = 0
		}
		actions = append(actions, g.transactAction(keys[i], items[i]))
	}
	for _, key := range keys {
		gets = append(gets, object{"Get": object{"TableName": itemsTable, "Key": key}})
	}
	return append(c,
		Request{Operation: "TransactWriteItems", Body: object{"TransactItems": actions}},
		Request{Operation: "TransactGetItems", Body: object{"TransactItems": gets}})
}

func (g *draws) transactAction(key, item object) object {
	x, body := newExpressions(g, item), object{"TableName": itemsTable}
	kind := pick(g, "Update", "Put", "Delete", "ConditionCheck")
	x.action(map[string]string{"Put": "PutItem", "Update": "UpdateItem"}[kind], body, key)
	if kind == "ConditionCheck" || g.below(2) > 0 {
		body["ConditionExpression"] = x.condition(1)
	}
	if g.below(3) > 0 {
		body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
	}
	x.fill(body)
	return object{kind: body}
}
