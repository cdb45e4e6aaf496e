"""A preprocessor of mdBook: links that leave docs/ lead to the repository, those to README.md to the index."""

import json
import posixpath
import re
import sys

REPOSITORY = "https://github.com/doublecross-rs/doublecross/blob/main/"
#: A link or a picture whose target begins with `../`.
OUTWARD = re.compile(r"\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")
#: A link to a README.md in docs/, which mdBook makes an index.html.
INDEX = re.compile(r"\]\(((?:\.\./|[\w-]+/)*)README\.md(#[^)\s]*)?\)")


def rewrite(chapter):
    """Rewrite the links of a chapter and of those below it."""
    folder = posixpath.join("docs", posixpath.dirname(chapter["path"] or ""))

    def target(match):
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        if path.startswith("docs/"):
            return match[0]
        return f"]({REPOSITORY}{path}{match[2] or ''})"

    content = OUTWARD.sub(target, chapter["content"])
    chapter["content"] = INDEX.sub(r"](\1index.md\2)", content)
    for item in chapter["sub_items"]:
        if "Chapter" in item:
            rewrite(item["Chapter"])


if len(sys.argv) > 1:  # `supports RENDERER`
    sys.exit(0)
_, book = json.load(sys.stdin)
for item in book.get("items") or book["sections"]:
    if "Chapter" in item:
        rewrite(item["Chapter"])
json.dump(book, sys.stdout)
