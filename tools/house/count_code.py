#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the lines of code of the program by folder, without comments and blank lines.

    tools/house/count_code.py                 the files as they lie here
    tools/house/count_code.py REV             those of a commit
    tools/house/count_code.py REV REV         two commits and their difference
    tools/house/count_code.py ... PATH...     files and folders instead of the program's, as seen from the root

Files that git does not keep are left out, hence all that is generated. C, C++ and lists (.def) are counted as C++;
JavaScript, Python and Octave as scripts; the rest (pages, help texts, editors' lists) not at all.
"""
import os
import re
import subprocess
import sys

FOLDERS = ["base", "kernel", "compiler", "runtime", "jit", "api", "tools", "include"]
CPP = (".h", ".cpp", ".c", ".def")
SCRIPTS = {".js": "//", ".py": "#", ".m": "%"}

# A comment, or a text that may hold what looks like one: raw, in double or in single quotes. A quote between digits
# separates thousands.
TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True).stdout


def code_lines_of_c(text):
    """Comments become blanks, keeping their line ends; texts become one word a line."""

    def replaced(match):
        found = match.group()
        if found.startswith(("//", "/*")):
            return "\n" * found.count("\n")
        return "\n".join("x" for _ in range(found.count("\n") + 1))

    return sum(1 for line in TOKENS.sub(replaced, text).split("\n") if line.strip())


def code_lines_of_script(text, comment):
    lines = [line.strip() for line in text.split("\n")]
    return sum(1 for line in lines if line and not line.startswith(comment))


def count(path, text):
    """Lines of C++ and of scripts."""
    if path.endswith(CPP):
        return code_lines_of_c(text), 0
    for ending, comment in SCRIPTS.items():
        if path.endswith(ending):
            return 0, code_lines_of_c(text) if ending == ".js" else code_lines_of_script(text, comment)
    return 0, 0


def texts_of(revision, paths):
    """Path and text of each file; of the working tree where there is no revision."""
    if revision is None:
        names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths).split(b"\0")
        for name in sorted({name.decode() for name in names if name}):
            try:
                with open(name, encoding="utf-8", errors="replace") as file:
                    yield name, file.read()
            except FileNotFoundError:
                pass  # deleted, and git does not know yet
        return
    names = git("ls-tree", "-r", "-z", "--name-only", revision, "--", *paths).split(b"\0")
    for name in sorted(name.decode() for name in names if name):
        if name.endswith(CPP + tuple(SCRIPTS)):
            yield name, git("show", f"{revision}:{name}").decode("utf-8", errors="replace")


def totals(revision, paths):
    by_folder = {path: [0, 0, 0] for path in paths}
    for name, text in texts_of(revision, paths):
        folder = next(path for path in paths if name == path or name.startswith(path.rstrip("/") + "/"))
        cpp, scripts = count(name, text)
        entry = by_folder[folder]
        entry[0] += 1 if cpp + scripts else 0
        entry[1] += cpp
        entry[2] += scripts
    by_folder["all"] = [sum(column) for column in zip(*by_folder.values())]
    return by_folder


def is_revision(word):
    return subprocess.run(["git", "rev-parse", "--verify", "--quiet", word + "^{commit}"],
                          capture_output=True).returncode == 0


def main(words):
    if any(word in ("-h", "--help") for word in words):
        print(__doc__.strip())
        return 0
    os.chdir(git("rev-parse", "--show-toplevel").decode().rstrip("\n"))
    revisions = []
    while words and len(revisions) < 2 and is_revision(words[0]):
        revisions.append(words.pop(0))
    paths = [word.rstrip("/") for word in words] or FOLDERS
    tables = [totals(revision, paths) for revision in revisions or [None]]
    for path in paths:
        if not any(table[path][0] for table in tables):
            print(f"count_code: no code in `{path}`, which is no commit either", file=sys.stderr)
            return 2
    header = f"{'folder':<12}" + "".join(f"{'files':>8}{'C++':>9}{'scripts':>9}" for _ in tables)
    print(header + (f"{'C++ more':>11}" if len(tables) == 2 else ""))
    for folder in [*paths, "all"]:
        row = f"{folder:<12}" + "".join(f"{t[folder][0]:>8}{t[folder][1]:>9}{t[folder][2]:>9}" for t in tables)
        print(row + (f"{tables[1][folder][1] - tables[0][folder][1]:>+11}" if len(tables) == 2 else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
