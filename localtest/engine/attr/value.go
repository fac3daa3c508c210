package attr

// Type is one of DynamoDB's data type descriptors, spelled as on the wire.
type Type string

// The data types.
const (
	TypeString    Type = "S"
	TypeNumber    Type = "N"
	TypeBinary    Type = "B"
	TypeBool      Type = "BOOL"
	TypeNull      Type = "NULL"
	TypeList      Type = "L"
	TypeMap       Type = "M"
	TypeStringSet Type = "SS"
	TypeNumberSet Type = "NS"
	TypeBinarySet Type = "BS"
)

// Value is one attribute value: a String, Number, Binary, Bool, Null, List,
// Map or Set.
type Value interface {
	// Type is the value's data type descriptor.
	Type() Type
	// Size is what the value adds to its item's size, in bytes.
	Size() int
	// appendJSON writes the value as {"S":"…"} and so on.
	appendJSON(dst []byte) []byte
}

type (
	// String is text, valid UTF-8 as it came out of JSON.
	String string
	// Binary is bytes, kept in a Go string because they never change.
	Binary string
	// Bool is true or false.
	Bool bool
	// Null is the typed null; an attribute that holds it exists.
	Null struct{}
	// List is an ordered collection of any values.
	List []Value
	// Map holds values by name. An item is a Map.
	Map map[string]Value
)

// Type is TypeString.
func (String) Type() Type { return TypeString }

// Type is TypeBinary.
func (Binary) Type() Type { return TypeBinary }

// Type is TypeBool.
func (Bool) Type() Type { return TypeBool }

// Type is TypeNull.
func (Null) Type() Type { return TypeNull }

// Type is TypeList.
func (List) Type() Type { return TypeList }

// Type is TypeMap.
func (Map) Type() Type { return TypeMap }

// Invalid is a value that DynamoDB refuses with a ValidationException; its text
// is that exception's message, or the part of it that speaks of the value.
type Invalid string

// Error is the message.
func (e Invalid) Error() string { return string(e) }
