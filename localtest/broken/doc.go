// Package broken has stores with the mistakes that lock services make, to see
// whether the checks of this project notice. Most are the real store over a
// database client that edits the conditions on their way: the mistake is then in
// what DynamoDB decides, as it would be in a store that was written so.
//
// The real store compares what DynamoDB decided with what the table says, and so
// finds most of them out by itself; it answers with an error then, while the harm
// is done. It is a second wall, and not what is checked here.
package broken
