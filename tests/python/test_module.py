#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python module says what the program says. TRCOST names the program; PYTHONPATH has the module."""

import csv
import inspect
import io
import json
import os
import subprocess
import tempfile
import threading
import unittest
import warnings

import trcost


def program(*arguments, code=0):
    done = subprocess.run([os.environ["TRCOST"], *arguments], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


class SameValues(unittest.TestCase):
    def same(self, answer, *arguments):
        self.assertEqual(answer, json.loads(program(*arguments, "--format", "json")))

    def test_every_command(self):
        run = {"model": "llama-3.1-8b", "tokens": 1e12, "accelerator": "h100-sxm"}
        words = ["--model", "llama-3.1-8b", "--tokens", "1T", "--accelerator", "h100-sxm"]
        self.same(trcost.estimate(params=10e9, modality="vl"), "estimate", "--params", "10e9",
                  "--modality", "vl")
        self.same(trcost.estimate(gpus=512, **run), "estimate", *words, "--gpus", "512")
        self.same(trcost.memory(params=7e9), "memory", "--params", "7e9")
        self.same(trcost.solve(for_="gpus", deadline="30d", **run), "solve", *words, "--for",
                  "gpus", "--deadline", "30d")
        self.same(trcost.serve(model="llama-3.1-8b", no_curve=True), "serve", "--model",
                  "llama-3.1-8b", "--no-curve")
        self.same(trcost.tokens(image=["1920x1080", "640x480"], family="qwen2-vl"), "tokens",
                  "--family", "qwen2-vl", "--image", "1920x1080", "--image", "640x480")
        self.same(trcost.transfer(params=7e9, tokens=100e9, from_="h100-sxm", from_gpus=64,
                                  measured="80h", to="b200"),
                  "transfer", "--params", "7B", "--tokens", "100B", "--from", "h100-sxm",
                  "--from-gpus", "64", "--measured", "80h", "--to", "b200")
        self.same(trcost.experiments(runs=20, params_fraction=0.1, tokens_fraction=0.1, params=10e9,
                                     tokens=200e9),
                  "experiments", "--params", "10B", "--tokens", "200B", "--runs", "20",
                  "--params-fraction", "0.1", "--tokens-fraction", "0.1")
        recipe = os.path.join(os.path.dirname(__file__), "../../examples/recipes/axolotl.yaml")
        self.same(trcost.recipe(recipe), "recipe", recipe)
        self.same(trcost.tco(accelerator="b200", gpus=1024, years=3), "tco", "--accelerator", "b200",
                  "--gpus", "1024", "--years", "3")
        self.same(trcost.show("accelerators", "h100-sxm"), "show", "accelerators", "h100-sxm")
        self.same(getattr(trcost, "list")("stacks"), "list", "stacks")

    def test_a_sweep_has_the_rows_of_the_csv(self):
        rows = trcost.sweep(vary={"hardware.gpus": range(8, 40, 8), "train.precision": ["bf16", "fp8"]},
                            params=7e9, tokens=1e11, accelerator="h100-sxm")
        text = program("sweep", "--vary", "hardware.gpus=8,16,24,32", "--vary",
                       "train.precision=bf16,fp8", "--params", "7e9", "--tokens", "1e11",
                       "--accelerator", "h100-sxm", "--format", "csv")
        expected = [*csv.DictReader(io.StringIO(text))]
        self.assertEqual(len(rows), 8)
        for row, cells in zip(rows, expected):
            self.assertEqual([*row], [*cells])
            for name, value in row.items():
                if isinstance(value, bool) or value is None:
                    self.assertEqual(cells[name], {None: "", True: "true", False: "false"}[value])
                elif isinstance(value, (int, float)):
                    self.assertEqual(value, float(cells[name]), name)
        self.assertIn("<th>cost.total</th>", rows._repr_html_())
        self.assertEqual(rows._repr_html_().count("<tr>"), 9)

    def test_lists_are_axes_of_a_sweep(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            by_name = trcost.sweep(params=[1e9, 7e9], gpus=(8, 16), accelerator=["h100-sxm", "b200"])
            by_vary = trcost.sweep(vary={"model.params": [1e9, 7e9], "hardware.gpus": (8, 16)},
                                   accelerator="h100-sxm,b200")
        self.assertEqual(by_name, by_vary)
        self.assertEqual(len(by_name), 8)


class Asking(unittest.TestCase):
    def test_paths_dicts_and_answers_are_questions(self):
        by_flag = trcost.estimate(params=7e9, gpus=64, accelerator="h100-sxm", cached_features=True)
        by_path = trcost.estimate(**{"model.params": 7e9, "hardware.gpus": 64,
                                     "hardware.accelerator": ["h100-sxm"],
                                     "train.cached_features": True})
        self.assertEqual(by_flag, by_path)
        self.assertEqual(trcost.estimate(by_flag), by_flag)
        self.assertEqual(trcost.estimate(by_flag["scenario"]), by_flag)
        self.assertEqual(trcost.estimate(scenario=by_flag, gpus=128)["estimates"][0]["gpus"], 128)
        self.assertFalse(trcost.diff(by_flag, trcost.estimate(by_flag, tokens=1e12))["same"])

    def test_every_flag_and_field_is_told(self):
        names = inspect.signature(trcost.estimate).parameters
        for path, flag in trcost._trcost.field_flags().items():
            self.assertIn(flag.removeprefix("--").replace("-", "_"), names, path)
        self.assertIn("global_batch: ", trcost.estimate.__doc__)
        self.assertIn("for_: ", trcost.solve.__doc__)

    def test_files_are_written_and_formats_are_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "answer.json")
            self.assertIsNone(trcost.estimate(params=7e9, output=path))
            self.assertEqual(trcost.estimate(path), trcost.estimate(params=7e9))
            self.assertIsNone(trcost.estimate(params=7e9, output=path))  # read before, another run
        text = trcost.estimate(params=7e9, format="table")
        self.assertEqual(text, program("estimate", "--params", "7e9", "--format", "table"))

    def test_a_notebook_shows_the_tables_of_the_page(self):
        answer = trcost.estimate(params=7e9, accelerator="h100-sxm", gpus=8)
        shown = answer._repr_html_()
        self.assertGreater(shown.count("<table"), 3)
        self.assertNotIn("<style", shown)
        self.assertIn("h100-sxm", answer.render("md"))


class Refusing(unittest.TestCase):
    def refused(self, kind, words, ask):
        with self.assertRaises(trcost.Error) as caught:
            ask()
        self.assertEqual(caught.exception.kind, kind)
        self.assertIn(words, str(caught.exception))
        return caught.exception

    def test_errors_have_hints(self):
        self.refused("usage", 'did you mean "--params"', lambda: trcost.estimate(parms=7e9))
        self.refused("usage", "does not start with a digit", lambda: trcost.estimate(params="x"))
        self.refused("data", "", lambda: trcost.estimate("/nonexistent.json"))
        self.refused("no answer", "the smallest cluster that holds it",
                     lambda: trcost.estimate(model="llama-3-70b", accelerator="rtx-4090", gpus=1))

    def test_the_nearest_comes_with_the_error(self):
        error = self.refused("no answer", "nearest", lambda: trcost.solve(
            params=7e9, for_="gpus", tokens=1e15, deadline="1h", accelerator="h100-sxm"))
        self.assertFalse(error.answer["solutions"][0]["solved"])

    def test_a_check_that_failed(self):
        self.refused("check", "", lambda: trcost.estimate(
            params=7e9, accelerator="gb200-nvl72", strict=True))

    def test_warnings_are_pythons(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            trcost.estimate(params=7e9, accelerator="h100-sxm", gpus=87, global_batch=1e9)
            self.assertTrue(caught)
            self.assertEqual(caught[0].category, trcost.TrcostWarning)
            self.assertEqual(caught[0].filename, __file__)

    def test_threads_ask_at_once(self):
        answers = [None] * 8

        def ask(at):
            answers[at] = trcost.estimate(params=(at % 2 + 1) * 1e9, quiet=True)

        threads = [threading.Thread(target=ask, args=(at,)) for at in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers[0], answers[2])
        self.assertNotEqual(answers[0], answers[1])


if __name__ == "__main__":
    unittest.main(warnings="ignore")
