# SPDX-License-Identifier: MIT
#
# validate.py SCHEMA FILE...: one line per file, "right FILE" or "wrong FILE: reason". A Markdown
# page counts as the models in it: blocks of YAML whose first line is "tenon: 1".

import json
import re
import sys

import jsonschema
import yaml


def documents(path):
    text = open(path, encoding="utf-8").read()
    if path.endswith(".md"):
        return re.findall(r"^```yaml[^\n]*\n(tenon: 1\n.*?)^```", text, re.M | re.S)
    return [text]


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for path in sys.argv[2:]:
    errors = [e for d in documents(path) for e in validator.iter_errors(yaml.safe_load(d))]
    if errors:
        error = jsonschema.exceptions.best_match(errors)
        print("wrong %s: %s: %s" % (path, error.json_path, error.message[:300]))
    else:
        print("right %s" % path)
