"""The reference that `make docs` writes has every public name of Python, C++, C and Fortran."""

import ast
import importlib
import inspect
import re
from functools import cache

import pytest

import halcyon
from halcyon.deprecated import NAMES
from tests.docs.test_docs import PAGES, ROOT, blocks, pages_with
from tools.docs_site import reference
from tools.docs_site.reference.cpp import Header
from tools.docs_site.reference.entry import anchor_of, markdown

# Their properties are made of tables: the numbers of machine files, and the options of case files.
OF_TABLES = {"halcyon.network.Machine", "halcyon.network.LinkSpeed", "halcyon.config.Case"}


@cache
def all_pages():
    return reference.pages(ROOT)


@cache
def names_of(language):
    return {
        each.name
        for page in all_pages()
        if page.language == language
        for entry in page.entries
        for each in entry.all_names()
    }


def documented_modules():
    return [page.title for page in all_pages() if page.language == "Python"]


def test_every_name_has_an_anchor_on_its_page_and_no_other_has_it():
    for page in all_pages():
        text = reference.page_text(page)
        written = re.findall(r"\{ #(\S+) \}", text) + re.findall(r'<a id="([^"]+)">', text)
        names = [each.name for entry in page.entries for each in entry.all_names()]
        assert sorted(written) == sorted(map(anchor_of, names)), page.path
        assert len(set(written)) == len(written), page.path


def test_index_links_every_function():
    text = reference.index_text(all_pages())
    for page in all_pages():
        address = page.path.removeprefix("reference/").replace(".md", ".html")
        for entry in page.entries:
            for each in entry.all_names():
                if each.kind == "function":
                    assert f'href="{address}#{anchor_of(each.name)}"' in text


def test_python_names_are_those_of_the_modules():
    """Every name of __all__ and every public member of a class, as Python itself has them."""
    importlib.import_module("halcyon.comm")
    for module_name in documented_modules():
        module = importlib.import_module(module_name)
        names = [*module._NAMES, *module._MODELS] if module is halcyon else module.__all__
        assert names, module_name
        for name in names:
            value, full = getattr(module, name), f"{module_name}.{name}"
            expected = {full}
            if inspect.isclass(value) and not issubclass(value, Exception) and full not in OF_TABLES:
                members = [each for each in vars(value) if not each.startswith("_")]
                expected |= {f"{full}.{member}" for member in members} - NAMES.keys()
            assert expected <= names_of("Python")


def test_arguments_of_compiled_functions_are_those_of_python():
    """Names and order of the arguments, and the overloads, as nanobind has them; `arg0` has no name."""
    importlib.import_module("halcyon.comm")
    n_compared = 0
    for page in all_pages():
        for entry in page.entries if page.language == "Python" else []:
            owner = getattr(importlib.import_module(page.title), entry.name.rpartition(".")[2])
            for each in entry.all_names():
                function = owner if each is entry else getattr(owner, each.name.rpartition(".")[2], None)
                if each.kind == "function" and hasattr(function, "__nb_signature__"):
                    signatures = [text for text, *_ in function.__nb_signature__]
                    expected = list(dict.fromkeys(map(arguments_of_nanobind, signatures)))
                    shown = list(map(arguments_shown, each.signatures))
                    assert len(shown) == len(expected), each.name
                    for names, given in zip(shown, expected, strict=True):
                        pairs = zip(names, given, strict=True)
                        assert all(a == b or re.fullmatch(r"arg\d*", b) for a, b in pairs), each.name
                    n_compared += 1
    assert n_compared > 100


def arguments_shown(signature):
    arguments = ast.parse(f"def {signature}: pass").body[0].args
    return tuple(each.arg for each in arguments.args + arguments.kwonlyargs)


def arguments_of_nanobind(signature):
    plain = re.sub(r"\\\d+|ndarray\[[^]]*\]", "object", signature)
    return tuple(name for name in re.findall(r"(?:\(|, )(\w+): ", plain) if name != "self")


def test_names_that_pages_and_examples_import_are_in_the_reference():
    known = names_of("Python") | set(documented_modules())
    sources = [code for name in pages_with("python") for code in blocks(name, "python")]
    sources += [path.read_text() for path in sorted(ROOT.glob("examples/**/*.py"))]
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("halcyon"):
                for alias in node.names:
                    assert f"{node.module}.{alias.name}" in known
    assert PAGES and sources


def test_cpp_functions_and_types_of_namespaces_are_in_the_reference():
    """Declarations of namespaces begin in the first column."""
    for path in sorted((ROOT / "cpp/halcyon").rglob("*.hpp")):
        if "capi" in path.parts:
            continue
        text = re.sub(
            r"^namespace \{$.*?^\}  // namespace$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE
        )
        names = {name.rpartition("::")[2] for name in names_of("C++")}
        types = re.findall(
            r"^(?:class|struct|enum class) (?:\[\[.*\]\] )?(\w+)(?: final)?(?: :.*)? \{$", text, re.MULTILINE
        )
        functions = re.findall(
            r"^(?:inline |constexpr )*(?:[\w:]+(?:<.*>)?[&*]?) (\w+)\([^()]*\)(?: noexcept)?(?:;| \{)",
            text,
            re.MULTILINE,
        )
        assert set(types) | set(functions) - {"static_assert"} <= names, path


def test_c_functions_are_those_of_the_headers():
    for path in ROOT.glob("cpp/halcyon/capi/halcyon/*.h"):
        functions = re.findall(r"^HALCYON_API [^;(]*?(\w+)\(", path.read_text(), re.MULTILINE)
        assert functions
        assert set(functions) <= names_of("C")


def test_fortran_names_are_those_that_modules_export():
    module = re.sub(r"&\s*", "", (ROOT / "fortran/halcyon.f90").read_text())
    exported = re.findall(r"\w+", " ".join(re.findall(r"only: (.*)", re.sub(r"=> *\w+", "", module))))
    assert len(exported) > 30
    assert set(exported) <= names_of("Fortran")
    assert {"halcyon_halo%start", "halcyon_transform%synthesis", "halcyon_tracer"} <= names_of("Fortran")


@pytest.mark.parametrize(
    ("declaration", "name", "signature"),
    [
        ("/// Text.\ntemplate <class T>\nT of(const T& t);", "a::of", "template <class T>\nT of(const T& t)"),
        ("/// Text.\nstd::function<void(int)> call;", "a::call", "std::function<void(int)> call"),
        ("int b, c = f({1, 2});  ///< Text.", "a::c", "int b, c = f({1, 2})"),
        ("/// Text.\nstd::unique_ptr<T> (*make)(int);", "a::make", "std::unique_ptr<T> (*make)(int)"),
        (
            "/// Text.\ninline T operator+(T a, T b) { return a += b; }",
            "a::operator+",
            "inline T operator+(T a, T b)",
        ),
        ("struct S {\n  /// Text.\n  S(int i) : i_{i}, j_(0) { f(); }\n};", "a::S::S", "S(int i)"),
        (
            "class alignas(64) S {\n public:\n  std::int8_t k : 3;  ///< Text.\n};",
            "a::S::k",
            "std::int8_t k : 3",
        ),
    ],
)
def test_declarations_of_cpp(declaration, name, signature):
    entries = Header(f"namespace halcyon::a {{\n{declaration}\nint last;\n}}\n", "a.hpp").entries()
    found = {each.name: each for entry in entries for each in entry.all_names()}
    assert (found[name].signatures, found[name].text) == ([signature], "Text.")
    assert "a::last" in found


def test_private_members_are_not_public():
    entries = Header(
        "class C {\n  int hidden;\n\n public:\n  int shown();\n\n private:\n  void f();\n};", "c.hpp"
    ).entries()
    assert [each.name for each in entries[0].all_names()] == ["C", "C::shown"]


def test_comments_become_markdown():
    text = "Sends a_b <c>. @param x first\n  line @throws ConfigError if `x_y` is 0\n\n    code *a*\n"
    expected = "Sends a\\_b &lt;c>.\n\n- `x`: first line\n- Throws ConfigError if `x_y` is 0\n\n    code *a*"
    assert markdown(text) == expected
