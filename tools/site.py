# SPDX-License-Identifier: MIT
"""What MkDocs changes in pages of docs/ for the site: see mkdocs.yml.

Formulas between dollars come into code, so that Markdown leaves their underscores alone. Links that
lead out of docs/, to sources and models, become the names of what they lead to. Pages that mkdocs.yml
does not list stand in the menu by their folder, under the titles that they have.
"""

import os
import re

FENCE = re.compile(r"^(```.*?^```[ \t]*$)", re.M | re.S)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.S)
INLINE = re.compile(r"(?<![\\$`\w])\$(?!\s)([^$`]+?)(?<!\s)\$(?![\w$])", re.S)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")
FOLDERS = {"guide": "Guides", "formats": "Formats", "theory": "Theory"}


def formulas(text):
    """Formulas of text that is no code."""
    text = DISPLAY.sub(lambda m: "`\\[" + " ".join(m[1].split()) + "\\]`", text)
    return INLINE.sub(lambda m: "`\\(" + " ".join(m[1].split()) + "\\)`", text)


def outside(page, root, text):
    """Links that lead out of the documentation, as names."""

    def name(match):
        target = match[2]
        if "://" in target:
            return match[0]
        path = os.path.normpath(os.path.join(root, os.path.dirname(page), target))
        inside = path.startswith(root + os.sep) and os.path.isfile(path)
        return match[0] if inside else match[1]

    return LINK.sub(name, text)


def on_page_markdown(markdown, page, config, files):
    """Called by MkDocs with every page."""
    parts = FENCE.split(markdown)
    for i in range(0, len(parts), 2):  # code stands at odd places
        parts[i] = outside(page.file.src_path, config["docs_dir"], formulas(parts[i]))
    return "".join(parts)


def title(path):
    """The first heading of a page."""
    with open(path, encoding="utf-8") as text:
        for line in text:
            if line.startswith("# "):
                return line[2:].strip()
    return os.path.basename(path)


def on_config(config):
    """Adds the folders to the menu."""
    for folder, heading in FOLDERS.items():
        root = os.path.join(config["docs_dir"], folder)
        pages = sorted(f for f in os.listdir(root) if f.endswith(".md"))
        config["nav"].append(
            {heading: [{title(os.path.join(root, f)): f"{folder}/{f}"} for f in pages]}
        )
    return config
