"""Reads the crates of a workspace: their rooms (top-level modules) and which path in the code leads to which room.

Only code that ships counts: test modules, tests.rs files, comments and strings are left out.
"""

import dataclasses
import pathlib
import re
import tomllib

#: The code of lib.rs or main.rs itself, where it is more than declarations.
ROOT_ROOM = "(root)"
TOKEN = re.compile(r"[A-Za-z_]\w*|\$crate|::|[^\s\w]|\d\w*")
#: Comments, strings (raw ones too), characters. A lifetime has no closing quote, so it does not match as a character.
OPAQUE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\bb?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]+?|[^'\\\n])'""",
    re.DOTALL,
)


class SourceError(Exception):
    """The sources have something this reader cannot follow."""


@dataclasses.dataclass(frozen=True)
class Use:
    """A path in the code of ``room``, from the crate root or from a crate: ``("crate", "tree", "Tree")``."""

    room: str
    path: tuple
    place: str
    #: The name under which ``pub use`` in the crate's root offers it, if it does.
    offered_as: str | None = None


@dataclasses.dataclass
class Crate:
    """A crate: its name, the crates it depends on, its first doc line, its rooms and the paths in them."""

    name: str
    dependencies: list
    purpose: str
    rooms: list
    uses: list


def room_of(found, name, path):
    """Where ``path`` from the root of the crate ``name`` leads to: (crate, room), room None for the crate itself."""
    crate = found[name]
    if not path:
        return name, None
    if path[0] in crate.rooms:
        return name, path[0]
    for use in crate.uses:
        if use.offered_as == path[0]:
            return room_of(found, crate_of(use, name), (*use.path[1:], *path[1:]))
    return name, ROOT_ROOM


def crate_of(use, own):
    """The crate that a path begins in."""
    return own if use.path[0] == "crate" else use.path[0].replace("_", "-")


def crates(root):
    """The crates under ``root/crates``, by name."""
    manifests = [tomllib.loads(path.read_text()) for path in sorted(root.glob("crates/*/Cargo.toml"))]
    names = {manifest["package"]["name"] for manifest in manifests}
    found = {}
    for manifest in manifests:
        name = manifest["package"]["name"]
        source = root / "crates" / name / "src"
        top = next((path for path in (source / "lib.rs", source / "main.rs") if path.exists()), None)
        if top is None:
            raise SourceError(f"crates/{name} has neither src/lib.rs nor src/main.rs")
        reader = Reader(root, names)
        reader.file(top, (), source)
        # The first paragraph of its documentation.
        purpose = " ".join(re.findall(r"^//! (.+)", top.read_text().split("\n//!\n")[0], re.MULTILINE))
        own = [dependency for dependency in manifest.get("dependencies", {}) if dependency in names]
        found[name] = Crate(name, own, purpose, reader.rooms, reader.uses)
    return found


class Reader:
    """Follows the ``mod`` declarations of one crate and collects the paths."""

    def __init__(self, root, crate_names):
        self.root = root
        self.heads = {name.replace("-", "_") for name in crate_names} | {"crate", "$crate"}
        self.rooms, self.uses = [], []

    def file(self, path, module, folder):
        """Reads the file of ``module``; the files of its children are in ``folder``."""
        # What is blotted out keeps its line breaks, so that lines can be counted.
        text = OPAQUE.sub(lambda found: '""' + "\n" * found[0].count("\n"), path.read_text())
        tokens, line, at = [], 1, 0
        for found in TOKEN.finditer(text):
            line += text.count("\n", at, found.start())
            at = found.start()
            tokens.append((found[0], line))
        tokens.append((";", line))
        self.items(tokens, 0, path, module, folder)

    def items(self, tokens, at, path, module, folder):
        """Reads tokens until the brace that closes this module; returns the place behind it."""
        depth = 0
        while at < len(tokens):
            word, line = tokens[at]
            if word == "#":
                behind, test = attribute(tokens, at)
                at = behind_item(tokens, behind) if test else at + 1
            elif word == "mod" and tokens[at + 2][0] in (";", "{"):
                at = self.module(tokens, at, path, module, folder)
            elif word == "use":
                at = self.use(tokens, at, path, module)
            elif word in self.heads or word in ("super", "self") or (not module and word in self.rooms):
                at = self.path(tokens, at, path, module)
            else:
                depth += (word == "{") - (word == "}")
                at += 1
                if depth < 0:
                    return at
        return at

    def module(self, tokens, at, path, module, folder):
        name, kind = tokens[at + 1][0], tokens[at + 2][0]
        inner = (*module, name)
        if kind == "{":
            return self.items(tokens, at + 3, path, inner, folder / name)
        if name != "tests":
            if not module:
                self.rooms.append(name)
            candidates = [folder / f"{name}.rs", folder / name / "mod.rs"]
            file = next((candidate for candidate in candidates if candidate.exists()), None)
            if file is None:
                raise SourceError(f"{self.place(path, tokens[at][1])}: there is no file for the module {name}")
            self.file(file, inner, folder / name)
        return at + 3

    def use(self, tokens, at, path, module):
        public = tokens[at - 1][0] in ("pub", ")")
        end = next(place for place in range(at, len(tokens)) if tokens[place][0] == ";")
        for words, alias, line in use_tree(tokens[at + 1 : end]):
            self.add(words, path, line, module, (alias or words[-1]) if public else None)
        return end + 1

    def path(self, tokens, at, path, module):
        words, line = [tokens[at][0]], tokens[at][1]
        at += 1
        while at + 1 < len(tokens) and tokens[at][0] == "::" and re.match(r"\w", tokens[at + 1][0]):
            words.append(tokens[at + 1][0])
            at += 2
        if len(words) > 1:
            self.add(tuple(words), path, line, module)
        return at

    def add(self, words, path, line, module, offered_as=None):
        """Turns ``super`` and ``self`` into paths from the root, and keeps those that leave the room."""
        if words[0] in ("super", "self"):
            place = list(module)
            for count, word in enumerate(words):
                if word == "super":
                    place.pop()
                elif word != "self":
                    words = ("crate", *place, *words[count:])
                    break
            else:
                words = ("crate", *place)
        elif words[0] == "$crate":
            words = ("crate", *words[1:])
        elif not module and words[0] in self.rooms:
            words = ("crate", *words)
        if words[0] not in self.heads:
            return
        # A module inside lib.rs is no room of its own.
        room = module[0] if module and module[0] in self.rooms else ROOT_ROOM
        if words == ("crate", "*") and room != ROOT_ROOM:
            raise SourceError(f"{self.place(path, line)}: a glob of the crate root does not say which rooms it uses")
        self.uses.append(Use(room, words, self.place(path, line), None if module else offered_as))

    def place(self, path, line):
        return f"{path.relative_to(self.root)}:{line}"


def attribute(tokens, at):
    """The place behind the attribute at ``at``, and whether it says that what follows is for tests only."""
    start = at = at + 1 + (tokens[at + 1][0] == "!")
    depth = 0
    while True:
        depth += (tokens[at][0] == "[") - (tokens[at][0] == "]")
        at += 1
        if depth == 0:
            break
    words = "".join(word for word, _ in tokens[start + 1 : at - 1])
    return at, words in ("cfg(test)", "cfg(doctest)", "test") or words.startswith("cfg(all(test,")


def behind_item(tokens, at):
    """The place behind the item at ``at``: its semicolon or its braces."""
    depth = 0
    while at < len(tokens):
        word = tokens[at][0]
        depth += (word in "{([") - (word in "})]")
        at += 1
        if depth == 0 and word in ";}":
            return at
    return at


def use_tree(tokens):
    """The paths of a use declaration: (words, alias, line) each."""
    out = []

    def tree(at, before):
        words, line = list(before), tokens[at][1]
        while at < len(tokens):
            word = tokens[at][0]
            if word == "{":
                at += 1
                while tokens[at][0] != "}":
                    at = tree(at, words)
                    at += tokens[at][0] == ","
                return at + 1
            if word == "as":
                out.append((tuple(words), tokens[at + 1][0], line))
                return at + 2
            if word in (",", "}"):
                break
            if word != "::":
                # `use a::{self}` is `use a`.
                words += [] if word == "self" and words else [word]
            at += 1
        out.append((tuple(words), None, line))
        return at

    tree(0, [])
    return out
