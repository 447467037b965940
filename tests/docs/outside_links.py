#!/usr/bin/env python3
"""A link to a file that is not shipped becomes its words and its path.

    outside_links.py           a preprocessor of mdBook: the book has the pages of docs/ and nothing else
    outside_links.py FOLDER    the pages of an unpacked archive, which has README.md and docs/, and no sources
"""

import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
# Words of a link may hold code, as [`table.rs`](…).
LINK = re.compile(r"(?<!!)\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^)\s]+)\)")


def without_outside_links(text, folder, root, is_shipped):
    """The text of a page in `folder`; `root` is where paths are named from."""
    def replaced(link):
        words, target = link.groups()
        path = target.partition("#")[0]
        if not path or re.match(r"[a-z][a-z0-9+.-]*:", path):
            return link.group(0)
        file = (folder / path).resolve()
        if is_shipped(file):
            return link.group(0)
        name = f"`{file.relative_to(root)}`"
        return name if words.strip("`") in name else f"{words} ({name})"

    parts, at = [], 0
    for code in re.finditer(r"^(```+|~~~+).*?^\1[ \t]*$", text, re.S | re.M):
        parts += [LINK.sub(replaced, text[at:code.start()]), code.group(0)]
        at = code.end()
    return "".join([*parts, LINK.sub(replaced, text[at:])])


def is_in_the_book(file):
    return file.is_relative_to(DOCS) and file.is_file()


def visit(items):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            if chapter.get("source_path"):
                folder = (DOCS / chapter["source_path"]).parent
                chapter["content"] = without_outside_links(chapter["content"], folder, DOCS.parent, is_in_the_book)
            visit(chapter["sub_items"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0)
    if sys.argv[1:]:
        root = pathlib.Path(sys.argv[1]).resolve()
        for page in root.rglob("*.md"):
            page.write_text(without_outside_links(page.read_text(encoding="utf-8"), page.parent, root, pathlib.Path.exists), encoding="utf-8")
        sys.exit(0)
    _, book = json.load(sys.stdin)
    visit(book["items"] if "items" in book else book["sections"])
    json.dump(book, sys.stdout)
