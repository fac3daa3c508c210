package differential

import "fmt"

// queryCase is some items and queries and scans of them; it ends by taking the
// items away.
func queryCase(g *draws) Case {
	typ := pick(g, "S", "N", "B")
	table := pairsTable + typ
	var keys []object
	seen := map[string]bool{}
	var c Case
	for i := range g.below(8) {
		sort := g.sortKey(typ)
		key := object{"k": object{"S": pick(g, "p", "q")}, "s": sort}
		if id := fmt.Sprint(key); !seen[id] && sort[typ] != "" {
			seen[id] = true
			keys = append(keys, key)
			c = append(c, Request{Operation: "PutItem", Body: object{"TableName": table, "Item": g.pair(key, i)}})
		}
	}
	for range 1 + g.below(3) {
		c = append(c, g.read(table, typ))
	}
	for _, key := range keys {
		c = append(c, Request{Operation: "DeleteItem", Body: object{"TableName": table, "Key": key}})
	}
	return c
}

// pair is an item that may be in the indexes too. No two have the same key in
// an index: the order of such is nobody's promise.
func (g *draws) pair(key object, number int) object {
	item := g.item(key)
	if g.below(3) > 0 {
		item["g"] = object{"S": pick(g, "p", "q")}
	}
	if g.below(4) > 0 {
		item["h"] = object{"N": fmt.Sprint((number*7)%8 - 3)}
	}
	return item
}

func (g *draws) sortKey(typ string) object {
	switch typ {
	case "S":
		return object{"S": pick(g, "a", "b", "ab", "abc", "é", "𝄞", "a\x00", "B", "~", "")}
	case "B":
		return object{"B": pick(g, binaries...)}
	}
	return object{"N": g.number()}
}

// read is a query of the table or an index, or a scan.
func (g *draws) read(table, typ string) Request {
	x, body := newExpressions(g, nil), object{"TableName": table}
	r := Request{Operation: "Query", Body: body, Pages: true}
	if g.oneIn(6) {
		r = Request{Operation: "Scan", Body: body, Unordered: true}
	} else {
		hash, sort := "k", "s"
		switch g.below(4) {
		case 2:
			body["IndexName"], hash, sort, typ = "global", "g", "h", "N"
		case 3:
			body["IndexName"], sort, typ = "local", "h", "N"
		}
		body["KeyConditionExpression"] = x.keyCondition(hash, sort, typ)
		if g.oneIn(3) {
			body["ScanIndexForward"] = g.oneIn(3)
		}
		if g.below(2) > 0 {
			body["Limit"] = 1 + g.below(4)
		}
	}
	if g.oneIn(4) {
		body["FilterExpression"] = x.condition(1)
	}
	switch g.below(6) {
	case 4:
		body["ProjectionExpression"] = x.projection()
	case 5:
		body["Select"] = pick(g, "COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
	}
	if g.oneIn(6) {
		body["ConsistentRead"] = true
	}
	x.fill(body)
	return r
}

func (x *expressions) keyCondition(hash, sort, typ string) string {
	if x.oneIn(40) {
		return pick(x.draws, "", "k", "k > "+x.literal(object{"S": "p"}), "s = "+x.literal(x.sortKey(typ)), "k = k",
			"k = "+x.literal(object{"N": "1"}), "k = "+x.literal(object{"S": ""}),
			"k = "+x.literal(object{"S": "p"})+" OR s = "+x.literal(x.sortKey(typ)),
			"NOT k = "+x.literal(object{"S": "p"}), "k.x = "+x.literal(object{"S": "p"}),
			"k = "+x.literal(object{"S": "p"})+" AND a = "+x.literal(object{"S": "p"}))
	}
	first := x.name(hash) + " = " + x.literal(object{"S": pick(x.draws, "p", "q", "r")})
	key := func() string {
		if x.oneIn(30) {
			return x.anyValue()
		}
		return x.literal(x.sortKey(typ))
	}
	second := ""
	switch name := x.name(sort); x.below(5) {
	case 0:
		delete(x.names, name)
		return first
	case 1:
		second = name + " " + pick(x.draws, "=", "<", "<=", ">", ">=", "<>") + " " + key()
	case 2:
		second = name + " BETWEEN " + key() + " AND " + key()
	default:
		second = "begins_with(" + name + ", " + key() + ")"
	}
	if x.oneIn(5) {
		first, second = second, first
	}
	if x.oneIn(5) {
		return "(" + first + ") AND (" + second + ")"
	}
	return first + " AND " + second
}
