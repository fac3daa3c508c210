package expr

// Path leads to an attribute or into a document: a.b[0].#c. It has at least one
// step, the first is a name.
type Path []Step

// Step is one element of a Path: a name (perhaps a placeholder such as #c), or
// an index if Name is empty.
type Step struct {
	Name  string
	Index int
}

// isPlaceholder reports whether the step's name stands for another.
func (s Step) isPlaceholder() bool { return s.Name != "" && s.Name[0] == '#' }

// Operand is what conditions compare and updates assign: a Path, a ValueRef or
// a Call.
type Operand interface{ operand() }

// ValueRef is a placeholder for a value, with its colon.
type ValueRef string

// Call is a function with its arguments. As a Condition its name is one of
// those that answer yes or no; size, if_not_exists and list_append are
// operands. Which name fits where is for Check to say.
type Call struct {
	Name string
	Args []Operand
}

func (Path) operand()     {}
func (ValueRef) operand() {}
func (*Call) operand()    {}

// Condition is a tree that an item makes true or false.
type Condition interface{ condition() }

type (
	// And is true when both sides are.
	And struct{ Left, Right Condition }
	// Or is true when either side is.
	Or struct{ Left, Right Condition }
	// Not is true when its operand is false.
	Not struct{ Operand Condition }
	// Compare is true when Left stands in relation Op to Right.
	Compare struct {
		Op          string // = <> < <= > >=
		Left, Right Operand
	}
	// Between is true when Low <= Operand <= High.
	Between struct{ Operand, Low, High Operand }
	// In is true when Operand equals one of List.
	In struct {
		Operand Operand
		List    []Operand
	}
)

func (*And) condition()     {}
func (*Or) condition()      {}
func (*Not) condition()     {}
func (*Compare) condition() {}
func (*Between) condition() {}
func (*In) condition()      {}
func (*Call) condition()    {}

// Update is an update expression: its clauses in the order given.
type Update struct{ Clauses []Clause }

// Clause is one section of an update, with at least one action.
type Clause struct {
	Keyword string // SET, REMOVE, ADD or DELETE
	Actions []Action
}

// Action changes one path. Value is nil for REMOVE and a ValueRef for ADD and
// DELETE; for SET it is any Operand or a Sum.
type Action struct {
	Path  Path
	Value Operand
}

// Sum is Left + Right or Left - Right, only in SET.
type Sum struct {
	Op          string // + or -
	Left, Right Operand
}

func (*Sum) operand() {}

// Projection is a list of paths to return.
type Projection []Path
