# SPDX-License-Identifier: MIT
"""Takes out of a model what it is refused for, by the place that the refusal tells."""

import copy
import json
import re


def lines_of(model):
    """The text of a model, and which part of it stands in each line."""
    lines, where = [], []

    def put(text, path):
        lines.append(text)
        where.append(path)

    def write(node, path, before, after):
        if isinstance(node, dict) and node or isinstance(node, list) and any(
                isinstance(one, (dict, list)) for one in node):
            pairs = list(node.items()) if isinstance(node, dict) else list(enumerate(node))
            put(before + ("{" if isinstance(node, dict) else "["), path)
            for i, (key, one) in enumerate(pairs):
                name = json.dumps(key) + ": " if isinstance(node, dict) else ""
                write(one, path + (key,), " " * (len(path) + 1) + name,
                      "," if i + 1 < len(pairs) else "")
            put(" " * len(path) + ("}" if isinstance(node, dict) else "]") + after, path)
        else:
            put(before + json.dumps(node) + after, path)

    write(model, (), "", "")
    return "\n".join(lines) + "\n", where


def repaired(model, where, message, file):
    """The model without what a message blames; None where that is unknown, or all of it."""
    told = re.search(re.escape(file) + r":(\d+):", message)
    if not told or int(told.group(1)) > len(where):
        return None
    path = list(where[int(told.group(1)) - 1])
    if "missing key" in message or (len(path) > 3 and path[-1] in ("kind", "mass", "bodies")):
        path = path[:2]
    if path[:1] == ["bodies"] and len(path) > 2 and path[2] in ("points", "section", "rod", "mass"):
        path = path[:2]
    if len(path) < 2:
        return None
    out = copy.deepcopy(model)
    part = out
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    return out
