# SPDX-License-Identifier: MIT
"""Makes a model smaller as long as something holds: elements, keys and list items go, one by one and
in halves, and numbers become plain ones."""

import copy


def paths(node, before=()):
    """Where everything in a model stands, the largest parts first."""
    found = []
    if isinstance(node, dict):
        found = [before + (key,) for key in node]
    elif isinstance(node, list):
        found = [before + (i,) for i in reversed(range(len(node)))]
    deeper = []
    for path in found:
        deeper += paths(node[path[-1]], path)
    return found + deeper


def at(model, path):
    for key in path:
        model = model[key]
    return model


def without(model, path):
    out = copy.deepcopy(model)
    try:
        del at(out, path[:-1])[path[-1]]
    except (KeyError, IndexError, TypeError):
        return None
    return out


def with_value(model, path, value):
    out = copy.deepcopy(model)
    try:
        at(out, path[:-1])[path[-1]] = value
    except (KeyError, IndexError, TypeError):
        return None
    return out


def simpler(value):
    if isinstance(value, str) and any(c in value for c in "(+*"):
        return ["t", "0"]
    if isinstance(value, float) and value != round(value, 1):
        return [round(value, 1)]
    return []


def reduce(model, holds, most=400):
    """`holds(model)` says whether a smaller model still shows what is looked for; it is asked at most
    so many times."""
    tries, shrunk = 0, True
    while shrunk and tries < most:
        shrunk = False
        for path in paths(model):
            if path == ("tenon",):
                continue
            candidates = [without(model, path)]
            try:
                candidates += [with_value(model, path, v) for v in simpler(at(model, path))]
            except (KeyError, IndexError, TypeError):
                continue  # went with something larger
            for smaller in candidates:
                if smaller is None or smaller == model or tries >= most:
                    continue
                tries += 1
                if holds(smaller):
                    model, shrunk = smaller, True
                    break
    return model
