# SPDX-License-Identifier: Apache-2.0
"""What training and serving a model costs: trcost in Python.

A function per command of the program, with the program's own names: a keyword is a flag with
underscores for its dashes (`gpus=64`, `global_batch=1024`, `for_="tokens"`) or a field's path
(`**{"hardware.gpus": 64}`). The answer is what the program writes as JSON.

    import trcost
    answer = trcost.estimate(params=10e9, modality="vl")
    answer["estimates"][0]["cost"]["total"]
    rows = trcost.sweep(vary={"hardware.gpus": [8, 16, 32]}, params=7e9, accelerator="h100-sxm")
    pandas.DataFrame(rows)
"""

import html
import inspect
import json
import keyword
import numbers
import os
import re
import textwrap
import warnings
from collections.abc import Sequence

from . import _trcost

__version__ = _trcost.version
__all__ = ["Answer", "Error", "Rows", "TrcostWarning"]


class Error(Exception):
    """Why there is no answer. `hint` is the next step; `kind` is "usage", "data", "no answer" or
    "check"; `answer` is what there is all the same, such as the nearest that exists."""

    def __init__(self, message, hint="", location="", kind="", answer=None):
        super().__init__(message)
        self.message, self.hint, self.location = message, hint, location
        self.kind, self.answer = kind, answer

    def __str__(self):
        where = f"{self.location}: " if self.location else ""
        return f"{where}{self.message}" + (f"\nhint: {self.hint}" if self.hint else "")


class TrcostWarning(UserWarning):
    """What the program says beside an answer."""


def _cell(value):
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    return format(value, ".6g") if isinstance(value, numbers.Real) else html.escape(str(value))


def _table(rows, most=60):
    names = [*dict.fromkeys(name for row in rows for name in row)]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>"
                   for row in rows[:most])
    more = f"<p>{len(rows) - most} more rows</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Rows(list):
    """Dicts, one per row, with the names of the CSV: pandas.DataFrame(rows) takes them."""

    def _repr_html_(self):
        return _table(self)


class Answer(dict):
    """What the program writes as JSON."""

    def __init__(self, content, ask):
        super().__init__(content)
        self._ask = ask

    def render(self, format="table"):
        """The same answer as the program shows it: table, md, html, csv, jsonl or json."""
        return self._ask(format)

    def _repr_html_(self):
        page = self.render("html")
        return "".join(re.findall(r"<h2.*?</h2>|<table.*?</table>", page, re.DOTALL))


def _text(value):
    """A value as a flag takes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    return ",".join(_text(each) for each in value)


def _items(value):
    """The texts of a flag that is given several times: `vary={"hardware.gpus": [8, 16]}`."""
    if isinstance(value, dict):
        return [f"{name}={_text(each)}" for name, each in value.items()]
    return [value] if isinstance(value, str) else [_text(each) for each in value]


class _Documents:
    """Dicts as files that only this process sees."""

    def __enter__(self):
        self.open = []
        return self

    def __exit__(self, *_):
        for descriptor in self.open:
            os.close(descriptor)

    def text(self, value):
        if not isinstance(value, dict):
            return _text(value)
        descriptor = os.memfd_create("trcost")
        self.open.append(descriptor)
        os.write(descriptor, json.dumps(value).encode())
        return f"/proc/self/fd/{descriptor}"


def _python_name(flag):
    name = flag["name"].removeprefix("--").replace("-", "_").lower()
    return name + "_" if keyword.iskeyword(name) else name


class _Command:
    """Arguments of one command, from Python's to the program's."""

    paths = _trcost.field_flags()

    def __init__(self, row):
        self.name, self.summary, self.examples = row["name"], row["summary"], row["examples"]
        self.rows = row["flags"]
        self.flags = {flag["name"]: flag for flag in self.rows}
        self.by_name = {_python_name(flag): flag for flag in self.rows}
        self.takes_inputs = any(not name.startswith("-") for name in self.flags)

    def flag(self, name):
        """The flag of a keyword; one that the program refuses with its hint where there is none."""
        found = self.by_name.get(name) or self.flags.get(self.paths.get(name))
        return found or {"name": "--" + name.replace("_", "-"), "value": "?", "repeats": False}

    def axes(self, keywords):
        """A sweep tries each value of a list: params=[1e9, 7e9] is an axis, as one of `vary` is. A
        flag that takes several names by itself keeps them."""
        if "--vary" not in self.flags:
            return keywords
        path_of = {flag: path for path, flag in self.paths.items()}
        axes, rest = {}, {}
        for name, value in keywords.items():
            flag = self.flag(name)
            several = isinstance(value, Sequence) and not isinstance(value, str)
            if several and "[," not in flag["value"] and flag["name"] in path_of:
                axes[path_of[flag["name"]]] = value
            else:
                rest[name] = value
        if axes:
            rest["vary"] = _items(rest.get("vary") or {}) + _items(axes)
        return rest

    def arguments(self, inputs, keywords, documents):
        if not self.takes_inputs and inputs:
            keywords = {"scenario": inputs[0], **keywords}
            inputs = inputs[1:]
        words = [self.name]
        for name, value in self.axes(keywords).items():
            flag = self.flag(name)
            if value is None or (value is False and not flag["value"]):
                continue
            if not flag["value"]:
                words.append(flag["name"])
            elif flag["repeats"]:
                words += [f"{flag['name']}={item}" for item in _items(value)]
            else:
                words.append(f"{flag['name']}={documents.text(value)}")
        return words + [documents.text(each) for each in inputs]

    def documentation(self):
        lines = [self.summary[0].upper() + self.summary[1:] + ".", "", "As commands:", ""]
        lines += ["    " + line for line in self.examples.strip().splitlines()]
        group = None
        for flag in self.rows:
            if flag["group"] != group:
                group = flag["group"]
                lines += ["", group]
            lines += textwrap.wrap(f"{_python_name(flag)}: {flag['help']}", 96,
                                   initial_indent="    ", subsequent_indent="        ")
        return "\n".join(lines)


def _pass_on(outcome, depth):
    """Warnings as Python's; the first error with its hint, or None."""
    first = None
    for kind, message in outcome.messages:
        if kind == "warning":
            warnings.warn(message, TrcostWarning, stacklevel=depth + 1)
        elif kind == "error" and first is None:
            first = Error(message, kind="no answer")
        elif kind == "hint" and first is not None and not first.hint:
            first.hint = message
    return first


def _asked(command, inputs, keywords, depth):
    """Text of the answer, and why it is none after all."""
    with _Documents() as documents:
        outcome = _trcost.run(command.arguments(inputs, keywords, documents))
    said = _pass_on(outcome, depth + 1)
    failure = outcome.failure
    if failure is not None:
        raise Error(failure.message, failure.hint, failure.location, failure.kind)
    if outcome.code == 130:
        raise KeyboardInterrupt
    if outcome.code == 3:
        last = [message for kind, message in outcome.messages if kind == "warning"]
        said = Error(last[-1] if last else "a check failed", kind="check")
    elif outcome.code != 0 and said is None:
        said = Error("no answer", kind="no answer")
    return outcome.text, said if outcome.code != 0 else None


def _function(command):
    rows = command.name == "sweep"

    def call(*inputs, **keywords):
        if "format" in keywords or "output" in keywords:
            text, problem = _asked(command, inputs, keywords, 2)
            if problem:
                raise problem
            return text or None
        keywords["format"] = "jsonl" if rows else "json"
        text, problem = _asked(command, inputs, keywords, 2)

        def again(format):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _asked(command, inputs, {**keywords, "format": format}, 2)[0]

        if rows:
            answer = Rows(json.loads(line) for line in text.splitlines())
        else:
            answer = Answer(json.loads(text), again) if text else None
        if problem:
            problem.answer = answer
            raise problem
        return answer

    kinds = inspect.Parameter
    call.__name__ = call.__qualname__ = command.name
    call.__module__ = __name__
    call.__doc__ = command.documentation()
    call.__signature__ = inspect.Signature(
        [kinds("inputs", kinds.VAR_POSITIONAL)]
        + [kinds(name, kinds.KEYWORD_ONLY, default=None)
           for name, flag in command.by_name.items() if flag["name"].startswith("--")]
        + [kinds("fields", kinds.VAR_KEYWORD)])
    return call


for _row in _trcost.commands():
    _command = _Command(_row)
    if "--format" in _command.flags:
        globals()[_command.name] = _function(_command)
        if _command.name != "list":
            __all__.append(_command.name)
