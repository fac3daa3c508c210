// Package attr holds DynamoDB's attribute values: the ten types, how they are
// read from and written to the JSON of the wire protocol, how they compare,
// how large DynamoDB counts them, and how key attributes turn into bytes that
// sort as DynamoDB sorts them.
//
// Values are immutable by convention: nobody changes a List, Map or Set that
// has been handed on. An update builds new containers along the path it
// changes and shares the rest, so a reader can keep an item without copying.
//
// Facts come from the DynamoDB developer guide, "Supported data types and
// naming rules" and "DynamoDB item sizes and formats".
package attr
