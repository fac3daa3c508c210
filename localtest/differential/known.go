package differential

import "strings"

// known are the differences between the embedded engine and others that are as
// they should be, each with the reason. Most reasons rest on one of these:
//
//   - "Alternator" is the suite test/alternator of github.com/scylladb/scylladb,
//     which its authors run against DynamoDB itself as well (pytest --aws).
//   - "API" is the Amazon DynamoDB API Reference, "guide" the Developer Guide.
//
// The first entry that explains a disagreement counts. An entry whose specimen
// does not show it any more fails the test: take it out.
var known = []Known{
	{
		Engines: []string{"dynalite"},
		Why:     "Where an update has no attributes to return, dynalite may return an empty map of them: the same to every SDK.",
		Part:    "^Attributes$",
		Request: "^UpdateItem",
		Also:    emptyForNone,
		Specimen: `PutItem {"Item":{"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"Key":{"k":{"S":"key"}},"ReturnValues":"UPDATED_OLD","TableName":"items"}`,
	},
	{
		Engines: []string{"moto"},
		Why:     "Where an update has no attributes to return, moto may return an empty map of them: the same to every SDK.",
		Part:    "^Attributes$",
		Request: "^UpdateItem",
		Also:    emptyForNone,
		Specimen: `PutItem {"Item":{"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"Key":{"k":{"S":"key"}},"ReturnValues":"UPDATED_NEW","TableName":"items","UpdateExpression":"REMOVE a"}`,
	},

	{
		Engines: []string{"dynalite", "dynoxide", "moto"},
		Why: "An update that only takes away makes no item where there is none: Alternator, test_item.py, " +
			"test_update_item_non_existent, and github.com/scylladb/scylladb/issues/5862. They leave one that is its key alone.",
		Part: "^(Item|Attributes|Responses)$",
		Also: onlyBareItems,
		Specimen: `DeleteItem {"Key":{"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"REMOVE a"}
			GetItem {"ConsistentRead":true,"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite", "dynoxide", "moto"},
		Why: "REMOVE of a path in an item that isn't there is ignored: Alternator, test_update_expression.py, " +
			"test_nested_attribute_remove_from_missing_item. They miss the document that it leads into.",
		Part:    `^(verdict|CancellationReasons)$`,
		Ours:    `^(done|TransactionCanceledException)`,
		Theirs:  `path provided in the update expression is invalid|\[.*ValidationError`,
		Request: `(?i)(REMOVE|DELETE) [^"]*[.[]`,
		Specimen: `DeleteItem {"Key":{"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"REMOVE a.x"}`,
	},
	{
		Engines: []string{"dynalite", "dynoxide", "moto"},
		Why: "To order a given value that has no order is a ValidationException whatever the item holds: Alternator, " +
			"test_condition_expression.py, test_update_condition_lt and its siblings. They find the condition false.",
		Ours:   `^ValidationException Invalid (Condition|Filter)Expression: Incorrect operand type .*operator: (<|<=|>|>=|BETWEEN),`,
		Theirs: passed,
		Specimen: `PutItem {"Item":{"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"a < :v","ExpressionAttributeValues":{":v":{"BOOL":true}},"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynoxide", "moto"},
		Why: "An operand held against itself is a ValidationException: Alternator, test_condition_expression.py, " +
			"test_update_condition_contains ends with contains(a, a). Dynalite has the rule for all operators, they for none or some.",
		Ours:   `^ValidationException Invalid (Condition|Filter)Expression: The first operand must be distinct`,
		Theirs: passed,
		Specimen: `DeleteItem {"Key":{"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"a = a","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why:     "The same, where dynalite has the rule for fewer operators: not for BETWEEN and later ones of IN.",
		Ours:    `^ValidationException Invalid (Condition|Filter)Expression: The first operand must be distinct .*operator: (BETWEEN|IN),`,
		Theirs:  passed,
		Specimen: `DeleteItem {"Key":{"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"a BETWEEN a AND b","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite", "dynoxide", "moto"},
		Why: "IN takes 100 values at most: guide, \"Quotas in Amazon DynamoDB\" (by Alternator's test_update_condition_in, " +
			"99). They take any number.",
		Ours:   `The IN operator is provided with too many operands`,
		Theirs: passed,
		Specimen: `DeleteItem {"Key":{"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"a IN (` + strings.Repeat("b, ", 100) + `b)","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynoxide", "moto"},
		Why: "A projection may not take one attribute for a map and for a list: dynalite, which has the service's message " +
			"for it, agrees; they return nothing for such paths.",
		Ours:     `^ValidationException Invalid ProjectionExpression: Two document paths conflict`,
		Theirs:   `^done`,
		Specimen: `GetItem {"Key":{"k":{"S":"key"}},"ProjectionExpression":"a.x, a[0]","TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite", "dynoxide"},
		Why: "The value of a key attribute can't be empty, in conditions as well: github.com/getmoto/moto/issues/7062 has the " +
			"service's answer for a partition key. They look at fewer conditions on sort keys, or at none.",
		Ours:     `^ValidationException One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty`,
		Theirs:   `^done`,
		Request:  `^Query`,
		Specimen: `Query {"ExpressionAttributeValues":{":a":{"S":""},":b":{"S":"b"},":k":{"S":"p"}},"KeyConditionExpression":"k = :k AND s BETWEEN :a AND :b","TableName":"pairs-S"}`,
	},

	{
		Engines: []string{"dynalite"},
		Why: "Dynalite finds two missing attributes equal. Nothing equals a missing attribute: Alternator, " +
			"test_condition_expression.py, test_update_condition_eq_two_unset and test_update_condition_ne_two_unset.",
		Part:    `^(verdict|Count|Items|CancellationReasons)$`,
		Request: twoPaths,
		Specimen: `PutItem {"Item":{"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ConditionExpression":"a = b","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why: "Only strings, numbers and binaries have an order: Alternator, test_condition_expression.py, " +
			"test_update_condition_lt. Dynalite orders two attributes of any other type by their text.",
		Part:    `^(verdict|Count|Items)$`,
		Request: `[#a-z_][\w.\[\]#]* (<|>) [#a-z_]`,
		Specimen: `PutItem {"Item":{"a":{"L":[]},"b":{"L":[{"N":"1"}]},"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"b > a","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why: "False and an empty string are values as others are: guide, \"Condition and filter expressions, operators, and " +
			"functions\". To dynalite they have no type and no size and are in no list or range.",
		Part:    `^(verdict|Count|Items)$`,
		Request: `(?i)( IN | BETWEEN |attribute_type\(|size\()`,
		Also:    falseOrEmpty,
		Specimen: `PutItem {"Item":{"a":{"BOOL":false},"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"a IN (:v)","ExpressionAttributeValues":{":v":{"BOOL":false}},"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why: "A list may contain a value of any type: Alternator, test_condition_expression.py, test_update_condition_contains. " +
			"Dynalite looks for strings, numbers and binaries only.",
		Part:    `^(verdict|Count|Items)$`,
		Request: `contains\(`,
		Also:    hasList,
		Specimen: `PutItem {"Item":{"a":{"L":[{"NULL":true}]},"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"contains(a, :v)","ExpressionAttributeValues":{":v":{"NULL":true}},"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why: "Documents that hold the same are equal: Alternator, test_condition_expression.py, test_update_condition_eq_success. " +
			"To dynalite no two maps are.",
		Part:    `^(verdict|Count|Items)$`,
		Request: ` (=|<>|(?i)IN) .*"(M|L)":`,
		Specimen: `PutItem {"Item":{"a":{"M":{}},"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"a = :v","ExpressionAttributeValues":{":v":{"M":{}}},"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why:     "Dynalite ends where IN, BETWEEN or begins_with is to compare with an attribute that is missing.",
		Theirs:  "^" + broken,
		Request: `(?i)( IN | BETWEEN |begins_with\()`,
		Specimen: `PutItem {"Item":{"a":{"S":"a"},"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"a IN (b)","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why: "A sum of more than 38 digits is refused: Alternator, test_number.py, test_update_expression_plus_imprecise. " +
			"Dynalite stores it.",
		Ours:    `^ValidationException (Attempting to store more than 38|Number overflow)`,
		Theirs:  `^done`,
		Request: `^(UpdateItem|TransactWriteItems) `,
		Specimen: `PutItem {"Item":{"a":{"N":"1E125"},"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ExpressionAttributeValues":{":v":{"N":"1"}},"Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"ADD a :v"}`,
	},
	{
		Engines:  []string{"dynalite"},
		Why:      "DeleteItem takes ALL_OLD and NONE only: API, DeleteItem, ReturnValues. Dynalite takes the others as well.",
		Ours:     `^ValidationException ReturnValues can only be`,
		Theirs:   `^(done|ConditionalCheckFailedException)`,
		Request:  `^DeleteItem`,
		Specimen: `DeleteItem {"Key":{"k":{"S":"key"}},"ReturnValues":"ALL_NEW","TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why: "A number may have a plus sign: Alternator, test_number.py, test_invalid_numbers stores +3 and .123 and 0e1000. " +
			"Dynalite finds +1 not to be a number.",
		Theirs:   `cannot be converted to a numeric value: (\+1|5\.|\.5)`,
		Specimen: `PutItem {"Item":{"a":{"N":"+1"},"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines:  []string{"dynalite"},
		Why:      "What Select can be depends on the other parameters: API, Query, Select. Dynalite looks at less.",
		Ours:     `^ValidationException (Must specify the ProjectionExpression when|One or more parameter values were invalid: ALL_PROJECTED)`,
		Theirs:   `^done`,
		Specimen: `Query {"ExpressionAttributeValues":{":k":{"S":"p"}},"KeyConditionExpression":"k = :k","Select":"SPECIFIC_ATTRIBUTES","TableName":"pairs-S"}`,
	},

	{
		Engines: []string{"dynoxide"},
		Why: "Zero is a number with any exponent: Alternator, test_number.py, test_invalid_numbers stores 0e1000. " +
			"To dynoxide 0E200 is too large.",
		Theirs:   `Number overflow`,
		Request:  `"0E200"`,
		Specimen: `PutItem {"Item":{"a":{"N":"0E200"},"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "A function takes a given value where the guide has a path: Alternator, test_condition_expression.py, " +
			"test_update_condition_attribute_type and test_update_condition_begins_with. To dynoxide it is a syntax error " +
			"in attribute_type, and in size, for which nothing is known but that dynalite takes it.",
		Theirs:  `Syntax error; token: ":`,
		Request: `(size|attribute_type)\(:`,
		Specimen: `DeleteItem {"Key":{"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"size(:v) = :n","ExpressionAttributeValues":{":n":{"N":"1"},":v":{"S":"a"}},"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "A mistake in an expression is found before a transaction begins, so it is no reason to cancel one: the reasons in " +
			"API, TransactWriteItems, name none for it. Dynoxide looks at the expressions one item after the other.",
		Ours:    `^(Validation|Serialization)Exception`,
		Theirs:  `^(TransactionCanceledException|ValidationException|done)`,
		Request: `^TransactWriteItems`,
		Specimen: `PutItem {"Item":{"k":{"S":"t1"}},"TableName":"items"}
			TransactWriteItems {"TransactItems":[{"Update":{"ExpressionAttributeValues":{":v":{"S":"a"}},"Key":{"k":{"S":"t1"}},"TableName":"items","UpdateExpression":"ADD a :v"}}]}`,
	},
	{
		Engines: []string{"dynoxide", "moto"},
		Why: "A setting that is there already, or is made on another attribute, is a ValidationException: Alternator, test_ttl.py, " +
			"test_ttl_enable and test_ttl_disable_errors. They take it.",
		Ours:     `^ValidationException TimeToLive is`,
		Theirs:   `^done`,
		Specimen: `UpdateTimeToLive {"TableName":"items","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":false}}`,
	},

	{
		Engines: []string{"dynalite", "dynoxide"},
		Why: "A name begins with a letter, else it is a syntax error: Alternator, test_update_expression.py, " +
			"test_update_expression_unknown_function. To them an underscore will do.",
		Ours:     `Syntax error; token: "_"`,
		Theirs:   passed,
		Specimen: `DeleteItem {"ConditionExpression":"attribute_not_exists(_)","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why: "NOT may follow NOT: Alternator, test_condition_expression.py, test_update_condition_not. To dynalite it is a " +
			"syntax error.",
		Theirs:   `Syntax error; Expected "\("`,
		Request:  `(?i)NOT NOT `,
		Specimen: `DeleteItem {"ConditionExpression":"NOT NOT attribute_not_exists(a)","Key":{"k":{"S":"none"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite", "dynoxide"},
		Why: "A path into a key attribute, which is never a document, is a mistake wherever it stands: both say so of " +
			"comparisons, but not of BETWEEN or size(), nor dynoxide of projections.",
		Ours:   `^ValidationException Key attributes must be scalars`,
		Theirs: passed,
		Specimen: `DeleteItem {"Key":{"k":{"S":"key"}},"TableName":"items"}
			DeleteItem {"ConditionExpression":"size(k.x) = :n","ExpressionAttributeValues":{":n":{"N":"1"}},"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynalite"},
		Why: "Parentheses go around conditions, not around their operands: guide, \"Condition and filter expressions, operators, " +
			"and functions\", and dynoxide. Dynalite allows both.",
		Ours:     `Syntax error; token: "\)"`,
		Theirs:   passed,
		Request:  `\(a\) = \(b\)`,
		Specimen: `DeleteItem {"ConditionExpression":"(a) = (b)","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "SET has one operator at most: guide, \"Update expressions\", and dynalite. Dynoxide takes a sum in parentheses as an " +
			"operand of another.",
		Ours:    `^ValidationException Invalid UpdateExpression: Syntax error; token: "(\+|-|<EOF>)"`,
		Theirs:  `^(done|ConditionalCheckFailed|ValidationException The provided expression|ValidationException An operand)`,
		Request: `SET a = (b \+ \(|\(b \+ c\) )`,
		Specimen: `PutItem {"Item":{"b":{"N":"1"},"c":{"N":"1"},"d":{"N":"1"},"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"SET a = (b + c) - d"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "UPDATED_OLD and UPDATED_NEW return the element of a list that is named, if it is there: Alternator, " +
			"test_returnvalues.py, test_update_item_returnvalues_nested. Dynoxide returns the whole list.",
		Part:    "^Attributes$",
		Request: `"ReturnValues":"UPDATED_.*UpdateExpression":"[^"]*\[\d+\]`,
		Specimen: `PutItem {"Item":{"b":{"L":[{"N":"1"},{"N":"2"}]},"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ExpressionAttributeValues":{":v":{"N":"3"}},"Key":{"k":{"S":"key"}},"ReturnValues":"UPDATED_NEW","TableName":"items","UpdateExpression":"SET b[0] = :v"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "A request with a value of the wrong JSON form and one of the wrong content: the form is the first thing that a " +
			"service can look at. Dynoxide finds the content first where it comes first.",
		Ours:     `^SerializationException`,
		Theirs:   `^ValidationException`,
		Specimen: `Scan {"ExpressionAttributeValues":{":v":{"N":"1E999"},":w":{"N":1}},"FilterExpression":"a IN (:v, :w)","TableName":"items"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "Function names have one case: Alternator, test_update_expression.py, test_update_expression_list_append_basic. " +
			"Dynoxide knows Size.",
		Ours:     `Invalid function name; function: Size`,
		Theirs:   passed,
		Request:  `Size\(`,
		Specimen: `DeleteItem {"ConditionExpression":"Size(a) > size(b) OR attribute_not_exists(a)","Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "Mistakes are found before an item is: Alternator, test_condition_expression.py, test_update_condition_attribute_type_unknown " +
			"has no item. Dynoxide finds some only where an item makes it come to them.",
		Ours: `^ValidationException (Value provided in ExpressionAttributeValues unused|Invalid \w+: ` +
			`(Two document paths conflict|The BETWEEN operator requires|An expression attribute value used in expression is not defined|Invalid attribute type name|.*: attribute_type, operand type))`,
		Theirs: passed,
		Specimen: `PutItem {"Item":{"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ConditionExpression":"attribute_exists(a)","ExpressionAttributeValues":{":v":{"S":"a"}},"Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"SET c[1] = :v, c.y = :v"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "An update of a key attribute is a mistake whatever the condition comes to: dynalite agrees. " +
			"Dynoxide looks at the condition first, and in a transaction lets it pass where there is no item.",
		Part:    `^(verdict|CancellationReasons)$`,
		Ours:    `Cannot update attribute|\[.*ValidationError`,
		Theirs:  `ConditionalCheckFailed|^done`,
		Request: `(?i)UpdateExpression":"([^"]* )?k[ ",.[]`,
		Specimen: `PutItem {"Item":{"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ConditionExpression":"attribute_exists(a)","Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"REMOVE k"}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "Two mistakes in one transaction: a key attribute is updated, and an item occurs twice. Nothing tells " +
			"which the service finds first.",
		Ours:     `^TransactionCanceledException`,
		Theirs:   `cannot include multiple operations on one item`,
		Specimen: `TransactWriteItems {"TransactItems":[{"Update":{"ExpressionAttributeValues":{":v":{"S":"a"}},"Key":{"k":{"S":"t1"}},"TableName":"items","UpdateExpression":"SET k = :v"}},{"Put":{"Item":{"k":{"S":"t1"}},"TableName":"items"}}]}`,
	},
	{
		Engines: []string{"dynoxide"},
		Why: "A path into a key attribute, which is never a document, is a mistake in transactions as it is in single writes, " +
			"where dynoxide agrees. In transactions it finds the condition false.",
		Part:    `^(CancellationReasons|verdict)$`,
		Ours:    `^TransactionCanceledException .*ValidationError`,
		Theirs:  passed,
		Request: `\bk\.x`,
		Specimen: `PutItem {"Item":{"k":{"S":"t1"}},"TableName":"items"}
			TransactWriteItems {"TransactItems":[{"ConditionCheck":{"ConditionExpression":"k.x = a","Key":{"k":{"S":"t1"}},"TableName":"items"}}]}`,
	},

	{
		Engines: []string{"moto"},
		Why:     "Moto has an internal error.",
		Theirs:  `^HTTP status 500 without JSON`,
		Specimen: `PutItem {"Item":{"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"moto"},
		Why:     "Moto has an internal error in a transaction, and gives its Python name for a reason.",
		Part:    `^(CancellationReasons|verdict)$`,
		Theirs:  `^TransactionCanceledException .*\[.*(TypeError|ValueError|KeyError|AttributeError|InvalidOperation)`,
		Specimen: `PutItem {"Item":{"k":{"S":"t1"}},"TableName":"items"}
			TransactWriteItems {"TransactItems":[{"ConditionCheck":{"ConditionExpression":"size(a) = :n OR attribute_exists(k)","ExpressionAttributeValues":{":n":{"N":"one"}},"Key":{"k":{"S":"t1"}},"TableName":"items"}}]}`,
	},
	{
		Engines: []string{"moto"},
		Why: "Numbers come back in one spelling: guide, \"Supported data types and naming rules\", trims zeros. " +
			"Moto gives them as they came.",
		Part: "^(Item|Items|Attributes|Responses|CancellationReasons)$",
		Also: spelling,
		Specimen: `PutItem {"Item":{"a":{"N":"01"},"k":{"S":"key"}},"TableName":"items"}
			GetItem {"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"moto"},
		Why:     "Numbers have 38 digits: guide, \"Supported data types and naming rules\". Moto computes with 28.",
		Part:    "^(Item|Items|Attributes|Responses)$",
		Also:    rounding,
		Specimen: `PutItem {"Item":{"a":{"N":"1.5"},"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ExpressionAttributeValues":{":v":{"N":"0.123456789012345678901234567890123456"}},"Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"ADD a :v"}
			GetItem {"ConsistentRead":true,"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"moto"},
		Why: "What SET copies is a value: guide, \"Update expressions\". In moto the copy is one document with the original, " +
			"so what the same update does inside of that shows in both.",
		Part: "^(Item|Attributes|Responses)$",
		Also: copiesDocument,
		Specimen: `PutItem {"Item":{"a":{"M":{"y":{"S":"a"}}},"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"Key":{"k":{"S":"key"}},"ReturnValues":"ALL_NEW","TableName":"items","UpdateExpression":"SET b = a REMOVE a.y"}`,
	},
	{
		Engines: []string{"moto"},
		Why: "NOT may follow NOT: Alternator, test_condition_expression.py, test_update_condition_not. Moto does not " +
			"understand it after AND.",
		Theirs:   `Bad NOT expression`,
		Request:  `(?i)NOT NOT `,
		Specimen: `Scan {"FilterExpression":"attribute_exists(a) AND NOT NOT attribute_exists(b)","TableName":"pairs-S"}`,
	},
	{
		Engines: []string{"moto"},
		Why: "A write is done or not done: API, UpdateItem and TransactWriteItems. Moto stops in the middle where it finds " +
			"a mistake, and leaves what it did.",
		Part: "^(Item|Responses)$",
		Also: afterError,
		Specimen: `PutItem {"Item":{"a":{"S":"a"},"b":{"NS":["1"]},"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ExpressionAttributeValues":{":v":{"N":"1"}},"Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"REMOVE a ADD b :v"}
			GetItem {"ConsistentRead":true,"Key":{"k":{"S":"key"}},"TableName":"items"}`,
	},
	{
		Engines: []string{"moto"},
		Why:     "A page that ends at Limit has a LastEvaluatedKey, whether or not more follows: API, Query. Moto looks ahead.",
		Part:    "^LastEvaluatedKey$",
		Request: `"Limit"`,
		Specimen: `PutItem {"Item":{"k":{"S":"p"},"s":{"S":"a"}},"TableName":"pairs-S"}
			Query {"ExpressionAttributeValues":{":k":{"S":"p"}},"KeyConditionExpression":"k = :k","Limit":1,"TableName":"pairs-S"}`,
	},
	{
		Engines:  []string{"moto"},
		Why:      "A name that is the beginning of a path is used. Moto overlooks it in projections.",
		Theirs:   `^ValidationException Value provided in ExpressionAttributeNames unused`,
		Request:  `ProjectionExpression":"[^"]*#\w+[.[]`,
		Specimen: `Scan {"ExpressionAttributeNames":{"#a":"a"},"ProjectionExpression":"#a[0]","TableName":"pairs-S"}`,
	},
	{
		Engines: []string{"moto"},
		Why: "UPDATED_OLD and UPDATED_NEW return what the update names: API, UpdateItem, ReturnValues; the others agree. Moto " +
			"leaves out what it did not change.",
		Part:    "^Attributes$",
		Request: `"ReturnValues":"UPDATED_`,
		Specimen: `PutItem {"Item":{"a":{"NS":["1"]},"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ExpressionAttributeValues":{":v":{"NS":["2"]}},"Key":{"k":{"S":"key"}},"ReturnValues":"UPDATED_NEW","TableName":"items","UpdateExpression":"DELETE a :v"}`,
	},
	{
		Engines: []string{"moto"},
		Why: "if_not_exists takes a path that leads nowhere for one that does not exist; the others agree. To moto it is a " +
			"mistake to go into what is no document.",
		Ours:    `^done`,
		Theirs:  `^ValidationException The document path`,
		Request: `if_not_exists\([^,]*[.[]`,
		Specimen: `PutItem {"Item":{"a":{"S":"a"},"k":{"S":"key"}},"TableName":"items"}
			UpdateItem {"ExpressionAttributeValues":{":v":{"S":"b"}},"Key":{"k":{"S":"key"}},"TableName":"items","UpdateExpression":"SET b = if_not_exists(a[1].y, :v)"}`,
	},
	{
		Engines: []string{"moto"},
		Why: "A key condition may have its parts in either order and in parentheses: Alternator, test_key_condition_expression.py, " +
			"test_key_condition_expression_order and the tests before it. Moto overlooks what follows a function in parentheses.",
		Theirs:   `Query condition missed key schema element`,
		Request:  `\(begins_with`,
		Specimen: `Query {"ExpressionAttributeValues":{":k":{"S":"p"},":s":{"S":"a"}},"KeyConditionExpression":"(begins_with(s, :s)) AND (k = :k)","TableName":"pairs-S"}`,
	},
	{
		Engines: []string{"moto"},
		Why: "An update that does not fit its item cancels a transaction, with the reason ValidationError: API, " +
			"TransactWriteItems. Moto answers as to a single update.",
		Ours:   `^TransactionCanceledException`,
		Theirs: `^ValidationException`,
		Specimen: `PutItem {"Item":{"a":{"S":"a"},"k":{"S":"t1"}},"TableName":"items"}
			TransactWriteItems {"TransactItems":[{"Update":{"ExpressionAttributeValues":{":v":{"N":"1"}},"Key":{"k":{"S":"t1"}},"TableName":"items","UpdateExpression":"ADD a :v"}}]}`,
	},
	{
		Engines: []string{"moto"},
		Why:     "A table whose time to live is off has no attribute for it: Alternator, test_ttl.py, test_ttl_disable. Moto tells the one that it had.",
		Part:    "^TimeToLiveDescription$",
		Specimen: `UpdateTimeToLive {"TableName":"items","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":true}}
			UpdateTimeToLive {"TableName":"items","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":false}}
			DescribeTimeToLive {"TableName":"items"}`,
	},
	{
		Engines: []string{"moto"},
		Why: "Moto checks few values and expressions before it does a request, or only what the request comes to evaluate. " +
			"What is to be refused is held against dynalite and dynoxide.",
		Part:     `^(verdict|CancellationReasons)$`,
		Ours:     `^(Validation|Serialization)Exception|^TransactionCanceledException .*ValidationError`,
		Theirs:   passed + `|^ValidationException`,
		Specimen: `PutItem {"Item":{"a":{"N":"1E126"},"k":{"S":"key"}},"TableName":"items"}`,
	},
}
