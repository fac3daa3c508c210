"""Runs moto's server with its conditions mended.

Moto 5.2.5 evaluates conditions on plain Python values: true equals 1, a null
equals an attribute that is missing, binaries are ordered by their base64 text,
and values of two types under "<" are an internal error. DynamoDB compares typed
values; this gives each comparison the types back.

    python3 launcher.py -H 127.0.0.1 -p PORT
"""

import base64
import operator
from decimal import Decimal

from moto.dynamodb import comparisons
from moto.server import main


def typed(kind, value):
    """A value with its type, equal to another exactly where DynamoDB says so."""
    if kind == "N":
        value = Decimal(value)
    elif kind == "B" and not isinstance(value, bytes):  # stored sets hold bytes
        value = base64.b64decode(value)
    elif kind in ("SS", "NS", "BS"):
        value = {typed(kind[0], member) for member in value}
    elif kind == "L":
        value = [typed_any(element) for element in value]
    elif kind == "M":
        value = {name: typed_any(element) for name, element in value.items()}
    return kind, value


def typed_any(value):
    """A stored value, or one as the request spells it."""
    if isinstance(value, dict):
        return typed(*next(iter(value.items())))
    return typed(value.type, value.value)


def look_up(operand, item):
    """The operand's typed value; None if it is missing or has no size."""
    if isinstance(operand, comparisons.AttributePath):
        found = operand._get_attr(item)
        return None if found is None else typed_any(found)
    if isinstance(operand, comparisons.AttributeValue):
        return typed(operand.type, operand.value)
    sized = look_up(operand.attr, item)  # size(…)
    if sized is None or sized[0] in ("N", "BOOL", "NULL"):
        return None
    kind, value = sized
    if kind == "S":  # counted in UTF-16 code units
        value = value.encode("utf-16-le")[::2]
    return "N", Decimal(len(value))


def equal(a, b):
    return a is not None and a == b


def ordered(relation, a, b):
    if a is None or b is None or a[0] != b[0] or a[0] not in ("S", "N", "B"):
        return False
    return relation(a[1], b[1])


def contains(a, b):
    if a is None or b is None:
        return False
    if a[0] in ("S", "B"):
        return a[0] == b[0] and b[1] in a[1]
    return a[0] in ("SS", "NS", "BS", "L") and b in a[1]


def begins_with(a, b):
    return a is not None and b is not None and a[0] == b[0] and a[0] in ("S", "B") and a[1].startswith(b[1])


def between(value, low, high):
    return ordered(operator.ge, value, low) and ordered(operator.le, value, high)


def mend(cls, operands, relation):
    def expr(self, item):
        return relation(*(look_up(operand, item) for operand in operands(self)))

    cls.expr = expr


def sides(condition):
    return condition.lhs, condition.rhs


mend(comparisons.OpEqual, sides, equal)
mend(comparisons.OpNotEqual, sides, lambda a, b: not equal(a, b))
for cls, relation in (
    (comparisons.OpLessThan, operator.lt),
    (comparisons.OpLessThanOrEqual, operator.le),
    (comparisons.OpGreaterThan, operator.gt),
    (comparisons.OpGreaterThanOrEqual, operator.ge),
):
    mend(cls, sides, lambda a, b, relation=relation: ordered(relation, a, b))
mend(comparisons.FuncBetween, lambda c: (c.attr, c.start, c.end), between)
mend(comparisons.FuncIn, lambda c: (c.attr, *c.possible_values), lambda a, *all: any(equal(a, b) for b in all))
mend(comparisons.FuncContains, lambda c: (c.attr, c.operand), contains)
mend(comparisons.FuncBeginsWith, lambda c: (c.attr, c.substr), begins_with)

if __name__ == "__main__":
    main()
