"""The public names of C++ and C headers with their comments, by a parser of declarations."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from tools.docs_site.reference.entry import Entry, merged

TOKEN = re.compile(
    r"""(?P<doc>///(?!<)[^\n]*(?:\n[ \t]*///(?!<)[^\n]*)*)|(?P<after>///<[^\n]*(?:\n[ \t]*///<?[^\n]*)*)
    |(?P<block>/\*.*?\*/)|(?P<note>//[^\n]*)|(?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])')|(?P<word>\w+(?:'\w+)*)|(?P<sign>::|->|\S)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
CLOSING = {"(": ")", "{": "}", "[": "]"}
NOT_NAMES = {"alignas", "decltype", "requires", "noexcept", "explicit", "__attribute__"}
TYPE_WORDS = {"class", "struct", "enum", "union"}


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass
class Scope:
    """A namespace or a type whose declarations are read."""

    names: tuple[str, ...]
    type_name: str = ""  # its own name, if it is a type
    public: bool = True
    entries: list[Entry] = field(default_factory=list)

    def qualified(self, name: str) -> str:
        return "::".join((*self.names, name))


def comment_text(comment: str) -> str:
    """A comment without its marks."""
    if comment.startswith("/*"):
        lines = comment[2:-2].splitlines()
        return "\n".join(
            re.sub(r"^[ \t]*\* ?", "", line).strip() if i else line.strip() for i, line in enumerate(lines)
        )
    return "\n".join(re.sub(r"^[ \t]*///<? ?", "", line).rstrip() for line in comment.splitlines())


class Header:
    """A parser of the declarations of a header. C headers have `/* */` comments for documentation."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.in_c = file.endswith(".h")
        self.tokens = [
            Token(match.lastgroup, match[0], match.start(), match.end())
            for match in TOKEN.finditer(text)
            if match.lastgroup not in {"note", "directive"} and (self.in_c or match.lastgroup != "block")
        ]
        for token in self.tokens:
            if token.kind == "block" and text[: token.start].rsplit("\n", 1)[-1].strip():
                token.kind = "after"  # behind a declaration
        self.position = 0

    def entries(self) -> list[Entry]:
        scope = Scope(())
        self.read_scope(scope)
        return merged(scope.entries)

    def peek(self, offset: int = 0) -> str:
        index = self.position + offset
        return self.tokens[index].text if index < len(self.tokens) else ""

    def skip_group(self) -> None:
        """Moves past a bracket and its content."""
        depth = 0
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            if token.kind == "sign" and token.text in CLOSING:
                depth += 1
            elif token.kind == "sign" and token.text in CLOSING.values():
                depth -= 1
            if depth == 0:
                return

    def read_scope(self, scope: Scope) -> None:
        """Reads declarations until the bracket that closes the scope."""
        doc = ""
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            if token.kind in {"doc", "block"}:
                doc = comment_text(token.text)
                self.position += 1
                continue
            if token.kind == "after":
                self.attach(scope, token)
            elif token.text == "}":
                return
            elif token.text == ";":
                self.position += 1
                continue
            elif token.text in {"public", "private", "protected"} and self.peek(1) == ":":
                scope.public = token.text == "public"
                self.position += 2
            elif token.text == "extern" and self.peek(2) == "{":
                self.position += 3
                self.read_scope(scope)
                self.position += 1
            elif token.text == "namespace":
                self.read_namespace(scope)
            else:
                self.read_declaration(scope, doc)
            doc = ""

    def attach(self, scope: Scope, token: Token) -> None:
        """Gives a comment behind a declaration to that declaration."""
        self.position += 1
        if scope.entries and scope.public:
            signatures = scope.entries[-1].signatures
            for entry in scope.entries:
                if entry.signatures == signatures and not entry.text:  # all declarators
                    entry.text = comment_text(token.text)

    def read_namespace(self, scope: Scope) -> None:
        self.position += 1
        names = []
        while self.peek() != "{":
            if self.peek() in {"=", ";"}:  # an alias
                while self.peek() != ";":
                    self.position += 1
                return
            names += [self.peek()] if self.peek() != "::" else []
            self.position += 1
        if not names:
            self.skip_group()
            return
        self.position += 1
        names = names[1:] if names[0] == "halcyon" and not scope.names else names
        inner = Scope((*scope.names, *names))
        self.read_scope(inner)
        self.position += 1
        scope.entries += inner.entries

    def read_declaration(self, scope: Scope, doc: str) -> None:
        """Reads one declaration: a type with its members, a function without its body, or variables."""
        first = self.position
        head: list[Token] = []  # the tokens of the declaration outside brackets; a group is its first bracket
        body: list[Entry] = []
        end = initializer = None
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            texts = [each.text for each in head]
            if token.kind in {"doc", "after", "block"}:
                self.position += 1
            elif token.text == ";":
                end = token.start if end is None else end
                self.position += 1
                break
            elif token.text == "}":  # of a scope: a declaration without a semicolon, such as an enumerator
                end = token.start if end is None else end
                break
            elif token.text == "template":
                self.position += 1
                self.skip_angles()
            elif token.text == "{" and type_of(texts) and name_of_type(texts) is not None:
                end = token.start
                body = self.read_type(scope, texts)
                head.append(token)
            elif token.text == "<" and head and head[-1].kind == "word" and is_type(texts):
                self.skip_angles()
            elif token.text == "{" and "(" in texts and ("=" not in texts or "operator" in texts):
                end = token.start if end is None else end
                self.skip_group()
                if not initializer or self.peek() not in {",", "{"}:
                    break
            elif token.text == ":" and "(" in texts and initializer is None and "?" not in texts:
                initializer, end = token, token.start
                self.position += 1
                self.skip_initializers()
            elif token.text in CLOSING:
                head.append(token)
                self.skip_group()
            else:
                head.append(token)
                self.position += 1
        if scope.public:
            self.add(scope, head, first, end, doc, body)

    def skip_angles(self) -> None:
        depth = 0
        while self.position < len(self.tokens):
            text = self.peek()
            if text in CLOSING:
                self.skip_group()
                continue
            depth += (text == "<") - (text == ">")
            self.position += 1
            if depth == 0:
                return

    def skip_initializers(self) -> None:
        """Moves past the initializers of a constructor, to its body."""
        while self.position < len(self.tokens):
            while self.peek() not in {"(", "{"}:
                self.position += 1
            self.skip_group()
            if self.peek() != ",":
                return
            self.position += 1

    def read_type(self, scope: Scope, texts: list[str]) -> list[Entry]:
        """Reads the members of a type; returns those that are public."""
        name = name_of_type(texts)
        kind = type_of(texts)
        inner = Scope((*scope.names, name), name, kind != "class")
        self.position += 1
        if kind == "enum":
            self.read_enumerators(inner)
        else:
            self.read_scope(inner)
        self.position += 1
        return inner.entries

    def read_enumerators(self, scope: Scope) -> None:
        doc, is_named = "", False
        while self.peek() != "}":
            token = self.tokens[self.position]
            if token.kind == "after":
                self.attach(scope, token)
                continue
            if token.kind in {"doc", "block"}:
                doc = comment_text(token.text)
            elif token.text == ",":
                is_named = False
            elif not is_named:
                is_named = True
                scope.entries.append(
                    Entry(scope.qualified(token.text), "constant", [token.text], doc, self.file)
                )
                doc = ""
            self.position += 1

    def add(
        self, scope: Scope, head: list[Token], first: int, end: int | None, doc: str, body: list[Entry]
    ) -> None:
        """Adds the entries of a declaration to its scope."""
        texts = [token.text for token in head]
        if (
            not head
            or end is None
            or texts[0] in {"static_assert"}
            or (texts[0] == "friend" and "(" not in texts)
        ):
            return
        start = self.tokens[first].start
        signature = clean(self.text[start:end], start - self.text.rfind("\n", 0, start) - 1)
        if (kind := type_of(texts)) and (name := name_of_type(texts)) is not None and (name or "{" in texts):
            if "{" in texts or "typedef" in texts:
                self.add_type(scope, texts, Entry(name, kind, [signature], doc, self.file, body))
                return
            if len([text for text in texts if text not in {"final"}]) <= 2 or "::" in texts:
                return  # only announced
        if texts[0] == "using":
            if "=" in texts:
                scope.entries.append(Entry(scope.qualified(texts[1]), "type", [signature], doc, self.file))
            return
        equals = texts.index("=") if "=" in texts and "operator" not in texts else len(texts)
        if "(" in texts[:equals]:
            self.add_function(scope, texts, signature, doc)
            return
        for name in declarators(texts):
            scope.entries.append(Entry(scope.qualified(name), "constant", [signature], doc, self.file))

    def add_type(self, scope: Scope, texts: list[str], entry: Entry) -> None:
        if texts[0] == "typedef":
            entry.name = texts[-1]
            if entry.members:
                entry.signatures = [f"{entry.signatures[0]} {{ ... }} {entry.name}"]
            prefix = "" if entry.kind == "enum" else f"{entry.name}::"
            for member in entry.members:
                member.name = prefix + member.name.split("::")[-1]
        if entry.name:
            entry.name, entry.kind = scope.qualified(entry.name), "type"
            scope.entries.append(entry)
        else:
            scope.entries += entry.members

    def add_function(self, scope: Scope, texts: list[str], signature: str, doc: str) -> None:
        if pointer := re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", signature):
            kind = "type" if texts[0] == "typedef" else "constant"
            scope.entries.append(Entry(scope.qualified(pointer[1]), kind, [signature], doc, self.file))
            return
        if "operator" in texts:
            at = texts.index("operator")
            rest = texts[at + 1 :]
            sign = "()" if rest[:2] == ["(", "("] else "".join(rest[: rest.index("(")]).replace("[", "[]")
            name = f"operator{' ' if sign[:1].isalpha() else ''}{sign}"
        else:
            at = next((i for i, text in enumerate(texts) if text == "(" and texts[i - 1] not in NOT_NAMES), 0)
            name = texts[at - 1]
        if at > 1 and texts[at - (1 if "operator" in texts else 2)] in {"~", "::"}:
            return  # a destructor, or the definition of a member
        names = [name] + [
            texts[i - 1] for i in range(at + 1, len(texts)) if texts[i] == "(" and texts[i - 2] == ","
        ]
        if at == 0 or re.search(r"=\s*(?:default|delete)$", signature):
            return
        for each in names:
            scope.entries.append(Entry(scope.qualified(each), "function", [signature], doc, self.file))


def is_type(texts: list[str]) -> bool:
    """Whether a declaration has not come to its parameters or value yet, so that a < begins arguments."""
    return not {"(", "=", "operator"} & set(texts)


def type_of(texts: list[str]) -> str:
    """The kind of type that a declaration defines or announces."""
    for text in texts:
        if text in TYPE_WORDS:
            return text
        if text not in {"typedef", "template"}:
            return ""
    return ""


def name_of_type(texts: list[str]) -> str | None:
    """The name of the type that a declaration defines or announces; empty for a type without a name, None if
    it is the type of a function or a variable."""
    words, after_alignas = [], False
    for text in texts:
        if text in {":", "{", "["}:
            if text != "[":
                break
        elif text == "(":
            if not after_alignas:
                return None
        elif text not in TYPE_WORDS | {"typedef", "final", "alignas"}:
            words.append(text)
        after_alignas = text == "alignas"
    name = re.match(r"\w+(?: :: \w+)*", " ".join(words))
    return name[0].replace(" ", "") if name else ""


def declarators(texts: list[str]) -> list[str]:
    """The names that a declaration of variables declares."""
    names, depth, previous, done = [], 0, "", False
    for text in [*texts, ","]:
        depth += (text in "<") - (text == ">") if text in {"<", ">"} else 0
        if depth == 0 and text in {"=", "{", "[", ":"} and not done:
            names.append(previous)
            done = True
        elif depth == 0 and text == ",":
            if not done:
                names.append(previous)
            done = False
        if text not in {"[", "(", "{"}:
            previous = text
    return [name for name in names if re.fullmatch(r"[A-Za-z_]\w*", name)]


def clean(signature: str, indent: int) -> str:
    """The text of a declaration without comments. indent: spaces before its first line."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", signature, flags=re.DOTALL).removeprefix("HALCYON_API ")
    first, *others = text.strip().splitlines()
    return "\n".join([first.rstrip(), *(line.rstrip()[indent:] for line in others if line.strip())])


def header_entries(root: Path, name: str) -> list[Entry]:
    return Header((root / name).read_text(), name).entries()
