"""Arithmetic formulas in YAML files, such as `2e-6 * points / ranks`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

from halcyon.base import ConfigError

FUNCTIONS: dict[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "log2": math.log2,
    "max": max,
    "min": min,
    "sqrt": math.sqrt,
}
_OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: lambda base, exponent: float(base) ** exponent,  # integers would grow without limit
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def evaluate(formula: str | float, variables: Mapping[str, float]) -> float:
    """The value of a formula: numbers, variables, + - * / // % ** and the `FUNCTIONS`.

    Raises ConfigError, naming the formula, if it is invalid, has an unknown name, or has no finite value."""
    text = str(formula).strip()
    try:
        parsed = ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        reason = "it cannot be read" if isinstance(error, SyntaxError) else error
        raise ConfigError(f"'{text[:200]}' is not a formula ({reason}). {_allowed(variables)}") from None
    try:
        value = _value(parsed, variables)
        value = value if isinstance(value, complex) else float(value)
    except ConfigError as error:
        raise ConfigError(f"'{text}': {error}") from None
    except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"'{text[:200]}' has no value ({error}) {_where(variables)}.") from None
    if isinstance(value, complex) or not math.isfinite(value):
        raise ConfigError(f"'{text}' is {value} {_where(variables)}. Give a formula with a finite value.")
    return value


def _value(node: ast.expr, variables: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name) if name in variables:
            return variables[name]
        case ast.Name(id=name):
            raise ConfigError(f"there is no variable '{name}'. {_allowed(variables)}")
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(node.left, variables), _value(node.right, variables))
        case ast.UnaryOp(op=op) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(node.operand, variables))
        case ast.Call(func=ast.Name(id=name), args=[_, *_], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(each, variables) for each in node.args))
    raise ConfigError(f"it has more than arithmetic. {_allowed(variables)}")


def _allowed(variables: Mapping[str, float]) -> str:
    return f"Use numbers, + - * / // % **, {', '.join(FUNCTIONS)}, and the variables {', '.join(variables)}."


def _where(variables: Mapping[str, float]) -> str:
    return "with " + ", ".join(f"{name} = {value:g}" for name, value in variables.items())
