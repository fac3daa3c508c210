package differential

// ttlCase sets a table's time to live, on and off, rightly and wrongly, and
// ends with it off: by hand, for which attribute it is on depends on the case.
func ttlCase(g *draws) Case {
	var c Case
	on := ""
	set := func(attribute string, enabled bool) {
		c = append(c, Request{Operation: "UpdateTimeToLive", Body: object{
			"TableName":               itemsTable,
			"TimeToLiveSpecification": object{"AttributeName": attribute, "Enabled": enabled},
		}})
		switch {
		case enabled && on == "":
			on = attribute
		case !enabled && on == attribute:
			on = ""
		}
	}
	for range 1 + g.below(4) {
		switch g.below(3) {
		case 0:
			c = append(c, Request{Operation: "DescribeTimeToLive", Body: object{"TableName": itemsTable}})
		case 1:
			set(pick(g, "expires", "ttl"), true)
		default:
			set(pick(g, "expires", "ttl"), false)
		}
	}
	if on != "" {
		set(on, false)
	}
	return append(c, Request{Operation: "DescribeTimeToLive", Body: object{"TableName": itemsTable}})
}
