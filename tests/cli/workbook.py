#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sheet of a workbook that computes, recomputed by LibreOffice: as written it has the program's
own figures, and with an input changed those that the program gives for the changed input."""
import csv
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile

SHEETS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
# LibreOffice computes files of other programs again only where it is told to.
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode"
 oor:op="fuse"><value>0</value></prop></item></oor:items>
"""
ALL_SHEETS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"


class Budget:
    """The sheet as it stands in the file."""

    def __init__(self, path):
        self.path = path
        self.book = zipfile.ZipFile(path)
        names = [s.get("name") for s in ET.fromstring(self.book.read("xl/workbook.xml")).iter(SHEETS + "sheet")]
        self.part = f"xl/worksheets/sheet{names.index('Budget') + 1}.xml"
        strings = ["".join(t.text or "" for t in item.iter(SHEETS + "t"))
                   for item in ET.fromstring(self.book.read("xl/sharedStrings.xml"))]
        self.rows, self.formulas = {}, 0  # label -> row numbers, from the top
        for cell in ET.fromstring(self.book.read(self.part)).iter(SHEETS + "c"):
            self.formulas += cell.find(SHEETS + "f") is not None
            if cell.get("r").startswith("A") and cell.get("t") == "s":
                label = strings[int(cell.find(SHEETS + "v").text)]
                self.rows.setdefault(label, []).append(int(cell.get("r")[1:]))

    def changed(self, name, label, occurrence, factor, column="C"):
        """A copy with an input times `factor`."""
        ref = f"{column}{self.rows[label][occurrence]}"
        text = self.book.read(self.part).decode()
        cell = re.search(rf'<c r="{ref}"[^>]*><v>([^<]*)</v></c>', text)
        assert cell, f"{label} in {ref} is no input"
        text = text[:cell.start(1)] + repr(float(cell.group(1)) * factor) + text[cell.end(1):]
        with zipfile.ZipFile(name + ".xlsx", "w") as out:
            for item in self.book.namelist():
                out.writestr(item, text if item == self.part else self.book.read(item))
        return name


def recompute(names):
    """What LibreOffice has in the Budget of each workbook, by label: the lines' first figures."""
    os.makedirs("profile/user", exist_ok=True)
    with open("profile/user/registrymodifications.xcu", "w") as settings:
        settings.write(SETTINGS)
    subprocess.run(["soffice", f"-env:UserInstallation=file://{os.getcwd()}/profile", "--headless",
                    "--convert-to", ALL_SHEETS, *[n + ".xlsx" for n in names]], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    out = []
    for name in names:
        lines = {}
        for line in csv.reader(open(f"{name}-Budget.csv", encoding="utf-8")):
            if len(line) > 2 and line[2]:
                lines.setdefault(line[0], []).append(line[2:])
        out.append(lines)
    return out


def near(a, b, what):
    assert abs(float(a) - float(b)) <= 1e-9 * abs(float(b)), f"{what}: {a} instead of {b}"


class Program:
    def __init__(self, path):
        self.path = path

    def json(self, *words):
        return json.loads(subprocess.run([self.path, *words, "-q", "--format", "json"], check=True,
                                         capture_output=True).stdout)

    def budget(self, name, *words):
        subprocess.run([self.path, *words, "-q", "-o", name + ".xlsx"], check=True, capture_output=True)
        return Budget(name + ".xlsx")


def check_estimate(program):
    asked = ["estimate", "--params", "7e9", "--tokens", "1e12", "--gpus", "256", "--accelerator",
             "h100-sxm", "--experiments", "0.5", "--evaluation", "0.1", "--storage", "--mfu", "0.4",
             "--goodput", "0.9", "--production-overhead", "0.8", "--price", "3"]
    budget = program.budget("rent", *asked)
    assert budget.formulas > 15, budget.formulas

    def asked_with(flag, value):
        words = list(asked)
        words[words.index(flag) + 1] = value
        return program.json(*words)["estimates"][0]

    changes = {  # what is typed into the sheet, and the same said to the program
        "as-written": (None, asked_with("--price", "3")),
        "price": (("compute", -2, 2), asked_with("--price", "6")),
        "mfu": (("MFU", 0, 0.5), asked_with("--mfu", "0.2")),
        "goodput": (("goodput", 0, 0.5), asked_with("--goodput", "0.45")),
        "tokens": (("tokens", 0, 2), asked_with("--tokens", "2e12")),
    }
    names = []
    for name, (change, _) in changes.items():
        if change is None:
            names.append("rent")
        else:
            label, occurrence, factor = change
            names.append(budget.changed(name, label, occurrence, factor))
    for lines, (name, (_, wanted)) in zip(recompute(names), changes.items()):
        near(lines["Total"][0][0], wanted["cost"]["total"], name)
        near(lines["per million tokens"][0][0], wanted["cost"]["per_million_tokens"], name)
        near(lines["GPU-hours"][0][0], wanted["gpu_hours"], name)
        for item in wanted["cost"]["items"]:
            near(lines[item["item"]][-1][0], item["amount"], (name, item["item"]))


def check_platforms(program):
    """Every platform's total, owned and of stages, and a price that nobody knows filled in."""
    asked = {
        "own": ["estimate", "--params", "10e9", "--pricing", "own", "--experiments", "0.5"],
        "stages": ["estimate", "--scenario", program.stages, "--pricing", "own", "--experiments", "1"],
        "solve": ["solve", "--budget", "1M", "--params", "7e9", "--for", "tokens"],
        "transfer": ["transfer", "--params", "7e9", "--tokens", "1e12", "--from", "h100-sxm",
                     "--from-gpus", "64", "--measured", "30d", "--to", "h200,b200:32"],
    }
    for name, words in asked.items():
        program.budget(name, *words)
    for lines, (name, words) in zip(recompute(list(asked)), asked.items()):
        document = program.json(*words)
        totals = [e["cost"]["total"] for e in document.get("estimates", [])]
        totals += [s["cost"]["total"] for s in document.get("solutions", [])]
        totals += [t["cost"]["total"] for t in document.get("targets", [])]
        assert totals and len(lines["Total"][0]) == len(totals), (name, totals, lines["Total"])
        for cell, total in zip(lines["Total"][0], totals):
            near(cell, total, name)


def check_unknown_price(program):
    asked = ["estimate", "--params", "1e9", "--tokens", "1e10", "--accelerator", "gaudi3", "--gpus", "8"]
    document = program.json(*asked)["estimates"][0]
    if document["cost"]["total"] is not None:
        return
    budget = program.budget("unknown", *asked)
    ref = f"C{budget.rows['compute'][1]}"
    text = budget.book.read(budget.part).decode()
    empty = re.search(rf'<c r="{ref}"([^>]*)/>', text)
    filled = text[:empty.start()] + f'<c r="{ref}"{empty.group(1)}><v>2</v></c>' + text[empty.end():]
    with zipfile.ZipFile("filled.xlsx", "w") as out:
        for item in budget.book.namelist():
            out.writestr(item, filled if item == budget.part else budget.book.read(item))
    before, after = recompute(["unknown", "filled"])
    assert before["Total"][0][0] == "n/a", before["Total"]
    near(after["Total"][0][0], 2 * document["gpu_hours"], "a price that was filled in")


def check_serve(program):
    asked = ["serve", "--model", "llama-3.1-8b", "--accelerator", "h100-sxm,h200"]
    budget = program.budget("serve", *asked)
    rows = program.json(*asked)["serving"]
    plain, dear = recompute(["serve", budget.changed("dear", "price", 0, 2)])
    for cell, row in zip(plain["output"][0], rows):
        near(cell, row["cost"]["per_million_output_tokens"], "serve")
    near(dear["output"][0][0], 2 * rows[0]["cost"]["per_million_output_tokens"], "serve, dearer")


def check_experiments(program):
    asked = ["experiments", "--params", "10e9", "--tokens", "200e9", "--runs", "20",
             "--params-fraction", "0.1", "--tokens-fraction", "0.1", "--accelerator", "h100-sxm,b200"]
    budget = program.budget("study", *asked)
    rows = program.json(*asked)
    plain, dear = recompute(["study", budget.changed("dearer", "a GPU-hour", 0, 2)])
    totals = [p["total"]["total_usd"] for p in rows["platforms"]]
    for cell, total in zip(plain["Total"][0], totals):
        near(cell, total, "experiments")
    near(dear["Total"][0][0], 2 * totals[0], "experiments, dearer")


def check_obligation(program):
    """What a reserved price binds to, and twice that where the price is doubled in the sheet."""
    asked = ["estimate", "--params", "7e9", "--tokens", "1e12", "--accelerator", "h100-sxm",
             "--pricing", "reserved-1y"]
    bound = program.json(*asked)["estimates"][0]["cost"]["commitment_usd"]
    budget = program.budget("bound", *asked)
    plain, dear = recompute(["bound", budget.changed("dearer", "compute", -2, 2)])
    near(plain["all GPUs for the term"][0][0], bound, "commitment")
    near(dear["all GPUs for the term"][0][0], 2 * bound, "commitment, dearer")


def check_tco(program):
    """Totals, cash and the cost of an hour of renting and owning, with any input changed."""
    asked = {"--gpu": "h100", "--gpus": "60", "--years": "3", "--utilization": "0.8", "--price": "3",
             "--price-growth": "0.1", "--node-price": "300000", "--depreciation": "0.3",
             "--capital-rate": "0.1", "--support-rate": "0.05", "--electricity-price": "0.1",
             "--colocation": "150", "--pue": "1.2"}

    def words(**changed):
        flags = asked | {"--" + name.replace("_", "-"): value for name, value in changed.items()}
        return ["tco", *[word for flag in flags.items() for word in flag]]

    rent, own = "C", "F"  # columns of the first rent, and of the machines that are bought
    changes = {  # what is typed into the sheet, and the same said to the program
        "years1": (("years", 0, 1 / 3, rent), {"years": "1"}),
        "years2": (("years", 0, 2.5 / 3, rent), {"years": "2.5"}),
        "gpus": (("GPUs", 0, 1.5, rent), {"gpus": "90"}),
        "used": (("utilization", 0, 0.5, rent), {"utilization": "0.4"}),
        "rent": (("price", 0, 2, rent), {"price": "6"}),
        "growth": (("growth of prices per year", 0, 2, rent), {"price_growth": "0.2"}),
        "node": (("price of a machine, without network", 0, 2, own), {"node_price": "600000"}),
        "fall": (("depreciation per year", 0, 0.5, own), {"depreciation": "0.15"}),
        "capital": (("cost of capital per year", 0, 2, own), {"capital_rate": "0.2"}),
        "support": (("support per year, of the servers", 0, 2, own), {"support_rate": "0.1"}),
        "power": (("electricity", 0, 3, own), {"electricity_price": "0.3"}),
        "space": (("space", 0, 2, own), {"colocation": "300"}),
        "pue": (("PUE", 0, 1.25, own), {"pue": "1.5"}),
    }
    budget = program.budget("tco", *words())
    names = ["tco"] + [budget.changed(name, label, at, factor, column)
                       for name, ((label, at, factor, column), _) in changes.items()]
    wanted = [{}] + [flags for _, flags in changes.values()]
    for name, lines, flags in zip(names, recompute(names), wanted):
        rows = program.json(*words(**flags))["rows"]
        assert [row["pricing"] for row in rows][-1] == "own"
        for label, figure in (("Total", "total"), ("first month", "cash"),
                              ("a used hour, average of the years", "per_gpu_hour")):
            for cell, row in zip(lines[label][0], rows, strict=True):
                near(cell, row[figure], (name, label, row["pricing"]))


def main():
    program = Program(os.path.abspath(sys.argv[1]))
    program.stages = sys.argv[2]
    for check in sys.argv[3:]:
        globals()["check_" + check](program)


if __name__ == "__main__":
    main()
