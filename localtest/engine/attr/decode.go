package attr

import (
	"encoding/base64"
	"fmt"
)

// Input is a set of named attribute values as a request carries it. A request
// whose values have the wrong JSON shape fails to decode; values that are well
// shaped but not valid are remembered here, because how DynamoDB words that
// depends on where in the request they stand.
type Input struct {
	// Map is what the request gave; incomplete if Err is set.
	Map Map
	// Err is the first invalid value's error, an Invalid.
	Err error
	// ErrName is the name under which that value was given.
	ErrName string
}

// UnmarshalJSON reads an object of attribute values.
func (in *Input) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	d := decoder{text: text}
	in.Map = Map{}
	return d.object(func(name string) error {
		v, err := d.value(1)
		if err != nil {
			return err
		}
		if d.invalid != nil && in.Err == nil {
			in.Err, in.ErrName = d.invalid, name
		}
		in.Map[name] = v
		return nil
	})
}

// UnmarshalJSON reads an object of attribute values; invalid ones are an error.
func (v *Map) UnmarshalJSON(text []byte) error {
	var in Input
	if err := in.UnmarshalJSON(text); err != nil {
		return err
	}
	*v = in.Map
	return in.Err
}

// What DynamoDB says of values that are well shaped but not valid.
const (
	errNoType    Invalid = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	errManyTypes Invalid = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	errNotNull   Invalid = "One or more parameter values were invalid: Null attribute value types must have the value of true"
)

// ErrTooDeep is said of an item whose documents are nested beyond MaxDepth.
const ErrTooDeep Invalid = "Nesting Levels have exceeded supported limits: " +
	"Attributes in the item have nested levels beyond supported limit"

// decoder reads attribute values. invalid is the first Invalid it met; it reads
// on, because wrong shape anywhere in a request comes before wrong values.
type decoder struct {
	text    []byte
	pos     int
	invalid error
}

func (d *decoder) reject(err error) {
	if d.invalid == nil {
		d.invalid = err
	}
}

// value reads {"S":"…"} and its like, at a level of the item.
func (d *decoder) value(depth int) (Value, error) {
	if depth > maxWireDepth {
		return nil, fmt.Errorf("attribute values nested beyond %d levels", maxWireDepth)
	}
	if depth > MaxDepth {
		d.reject(ErrTooDeep)
	}
	var v Value
	types := 0
	err := d.object(func(name string) error {
		// An unknown type or a null is as good as not given.
		if d.null() {
			return nil
		}
		read, known := readers[Type(name)]
		if !known {
			return d.skip()
		}
		types++
		var err error
		v, err = read(d, depth)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case types == 0:
		d.reject(errNoType)
	case types > 1:
		d.reject(errManyTypes)
	}
	return v, nil
}

// maxWireDepth bounds the recursion; far beyond what an item may have.
const maxWireDepth = 200

// readers has, for each type, what follows its name in the JSON.
var readers map[Type]func(d *decoder, depth int) (Value, error)

// Set here because the readers of documents lead back to the map.
func init() {
	readers = map[Type]func(d *decoder, depth int) (Value, error){
		TypeString: func(d *decoder, _ int) (Value, error) {
			s, err := d.string()
			return String(s), err
		},
		TypeNumber:    func(d *decoder, _ int) (Value, error) { return d.number() },
		TypeBinary:    func(d *decoder, _ int) (Value, error) { return d.binary() },
		TypeStringSet: (*decoder).stringSet,
		TypeNumberSet: (*decoder).numberSet,
		TypeBinarySet: (*decoder).binarySet,
		TypeBool: func(d *decoder, _ int) (Value, error) {
			b, err := d.bool()
			return Bool(b), err
		},
		TypeNull: func(d *decoder, _ int) (Value, error) {
			b, err := d.bool()
			if !b {
				d.reject(errNotNull)
			}
			return Null{}, err
		},
		TypeList: func(d *decoder, depth int) (Value, error) {
			list := List{}
			err := d.array(func() error {
				v, err := d.value(depth + 1)
				list = append(list, v)
				return err
			})
			return list, err
		},
		TypeMap: func(d *decoder, depth int) (Value, error) {
			m := Map{}
			err := d.object(func(name string) error {
				v, err := d.value(depth + 1)
				m[name] = v
				return err
			})
			return m, err
		},
	}
}

func (d *decoder) number() (Value, error) {
	text, err := d.string()
	if err != nil {
		return nil, err
	}
	n, err := ParseNumber(text)
	if err != nil {
		d.reject(err)
	}
	return n, nil
}

func (d *decoder) binary() (Value, error) {
	text, err := d.string()
	if err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("binary value is not base64: %w", err)
	}
	return Binary(raw), nil
}

func (d *decoder) stringSet(int) (Value, error) {
	return d.set(TypeStringSet, func() (Value, error) {
		s, err := d.string()
		return String(s), err
	})
}

func (d *decoder) numberSet(int) (Value, error) { return d.set(TypeNumberSet, d.number) }

func (d *decoder) binarySet(int) (Value, error) { return d.set(TypeBinarySet, d.binary) }

func (d *decoder) set(typ Type, member func() (Value, error)) (Value, error) {
	var members []Value
	err := d.array(func() error {
		v, err := member()
		members = append(members, v)
		return err
	})
	if err != nil || d.invalid != nil {
		return nil, err
	}
	set, err := NewSet(typ, members)
	if err != nil {
		d.reject(err)
	}
	return set, nil
}
