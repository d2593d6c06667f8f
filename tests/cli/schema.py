#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The answer of a command is what its JSON Schema says, and has no name that the schema lacks.

  schema.py SCHEMA ANSWER [open]

The schemas allow further names, since a minor version adds some; here every object is closed, so
that no name stays undescribed. `open`: the command names columns by what was asked (sweep, solve).
Needs the package jsonschema (Debian: python3-jsonschema)."""

import json
import sys

import jsonschema


def closed(schema):
    if isinstance(schema, dict):
        schema = {key: closed(value) for key, value in schema.items()}
        if "object" in schema.get("type", ()) and "properties" in schema:
            schema["additionalProperties"] = False
    elif isinstance(schema, list):
        schema = [closed(value) for value in schema]
    return schema


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        answer = json.load(file)
    validator = jsonschema.Draft202012Validator
    validator.check_schema(schema)
    if "open" not in sys.argv[3:]:
        schema = closed(schema)
    errors = sorted(validator(schema).iter_errors(answer), key=lambda error: list(map(str, error.path)))
    for error in errors[:10]:
        print("/".join(map(str, error.path)) + ":", error.message[:300])
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
