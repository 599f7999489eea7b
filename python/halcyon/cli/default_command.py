"""Groups of commands whose first word may be left out."""

from __future__ import annotations

from typer.core import TyperGroup


def with_default(name: str) -> type[TyperGroup]:
    """A kind of group in which the command `name` is meant where no command is named."""

    class WithDefault(TyperGroup):
        default = name

        def parse_args(self, ctx, args):
            """Puts the default before anything that is not a command."""
            return super().parse_args(ctx, args if args and args[0] in self.commands else [name, *args])

    return WithDefault
