"""What the parameters of the methods mean, from the doc comments of the library's parameter structs.

The library says it once, where the parameters are; the Python package keeps a copy, since a docstring cannot read Rust.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "crates/arbormix/src"
#: A longer text is cut after its first sentence: the rest is for people who read the library's documentation.
LONG = 160


def meanings(methods):
    """Text by parameter, or by ``method.parameter`` where methods differ; words of a choice follow, one on a line."""
    text = "\n".join(path.read_text() for path in sorted(SOURCES.rglob("*.rs")))
    structs, enums = members(text, "struct", r"pub (\w+): (.*),"), members(text, "enum", r"(\w+)(.*)")
    roots = dict(re.findall(r'name: "(\w+)",.*?defaults::<(\w+)>', (SOURCES / "registry.rs").read_text(), re.DOTALL))
    found = {}
    for method in methods:
        said = dict(fields(structs, roots[method.name]))
        for name, parameter in method.parameters.items():
            meaning, kind = said[name]
            words = {kebab(word): short(doc, enums[kind]) for word, (doc, _) in enums.get(kind, {}).items()}
            # Beside numbers a word alone may stand, as in experts="auto".
            alone = [kebab(word) for word, (_, rest) in enums.get(kind, {}).items() if rest == ","]
            lines = [f"{word}: {words[word]}" for word in parameter.choices or alone if words.get(word)]
            found.setdefault(name, {})[method.name] = "\n".join([short(meaning), *lines])
    out = {}
    for name, texts in sorted(found.items()):
        usual = max(texts.values(), key=list(texts.values()).count)
        out[name] = usual
        out |= {f"{method}.{name}": text for method, text in texts.items() if text != usual}
    return out


def members(text, kind, pattern):
    """Members of the public structs or enums: by name, their doc comment and what follows the name."""
    out = {}
    for name, body in re.findall(rf"^pub {kind} (\w+) {{\n(.*?)^}}", text, re.MULTILINE | re.DOTALL):
        out[name], doc = {}, []
        # Deeper lines are the fields of a variant.
        for line in re.findall(r"^    (\S.*)", body, re.MULTILINE):
            if line.startswith("///"):
                doc.append(line[3:].strip())
            elif member := re.match(pattern, line):
                out[name][member[1]], doc = (" ".join(doc), member[2]), []
    return out


def fields(structs, struct, path=()):
    """Keyword arguments with their doc comments and types, those of inner groups included."""
    for name, (doc, kind) in structs[struct].items():
        if kind in structs:
            yield from fields(structs, kind, (*path, name))
        else:
            yield "_".join((*path, name)), (doc, kind)


def kebab(word):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", word).lower()


def short(text, words=()):
    """The text as Python people read it; ``words`` are those of the choice that it speaks of."""
    for word in words:
        text = text.replace(f"`{word}`", f"`{kebab(word)}`")
    text = text if len(text) <= LONG else text.split(". ")[0].removesuffix(".") + "."
    return re.sub(r"\[`(?:\w+::)*(\w+)`\]", r"`\1`", text).replace("`null`", "`None`").replace("`", "``")
