# SPDX-License-Identifier: Apache-2.0
"""Planning, parsing and formatting of measure_gpu.py on a sample; needs no PyTorch.

  python3 -m unittest discover -s tests/calibration
"""

import contextlib
import csv
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import gpu_plan  # noqa: E402
import gpu_rows  # noqa: E402
import measure_gpu  # noqa: E402

# Invented numbers: they test the format, they are no measurement.
META = {"device": "Sample GPU", "driver": "1.2", "torch": "9.8.7+cu130"}
STEP = {
    "shape": "decoder-1b-measured",
    "seq": 2048,
    "batch": 4,
    "recompute": True,
    "variant": "compiled",
    "task": "pretrain",
    "attention": "flash",
    "step_seconds": 0.25,
    "peak_bytes": 4.5e10,
    "sm_mhz": 1700.0,
    "watts": 650.0,
}
OUT_OF_MEMORY = {**STEP, "batch": 64, "error": "OutOfMemoryError: sample"}
del OUT_OF_MEMORY["step_seconds"]
LORA = {**STEP, "variant": "eager", "task": "lora", "recompute": False}
FLOOR = {**STEP, "shape": "tiny-8"}
ENCODER = {
    "encoder": "clip-vit-l-14-336",
    "batch": 32,
    "task": "frozen",
    "compiled": False,
    "step_seconds": 0.05,
    "peak_bytes": 2e9,
}
KERNEL = {
    "kind": "gemm",
    "m": 512,
    "n": 512,
    "k": 512,
    "flops": 2.0 * 512**3,
    "seconds": 1.23456789e-5,
}


def write_lines(path, rows, tail=""):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows) + tail, encoding="utf-8")


class Plan(unittest.TestCase):
    def test_parameters_of_published_shapes(self):
        # Meta's model card: Llama-3.1-8B has 8,030,261,248 parameters.
        self.assertEqual(gpu_plan.parameters(gpu_plan.SHAPES["decoder-8b-measured"]), 8_030_261_248)
        self.assertAlmostEqual(
            gpu_plan.parameters(gpu_plan.SHAPES["gpt-125m-measured"]) / 1e6, 125, delta=1
        )

    def test_flops_per_token(self):
        shape = gpu_plan.Shape("sample", 2, 8, 2, 1, 16, 10)
        # by hand, d = 4: a layer has 2*8*8 + 2*8*4 + 3*8*16 = 576 weights, the head 80
        matmul, attention = 2 * (2 * 576 + 80), 2 * 2 * 2 * 4 * 5
        self.assertEqual(gpu_plan.model_flops_per_token(shape, 5), 3 * matmul + 3 * attention)
        self.assertEqual(gpu_plan.model_flops_per_token(shape, 5, 0), 2 * matmul + 3 * attention)

    def test_steps_name_known_shapes_once(self):
        for section in measure_gpu.STEP_SECTIONS:
            steps = gpu_plan.step_plan(section)
            self.assertEqual(len(steps), len(set(steps)), section)
            for step in steps:
                self.assertIn(step.shape, gpu_plan.SHAPES)
                self.assertIn(step.variant, gpu_rows.STACKS)
            self.assertTrue(gpu_plan.step_plan(section, tiny=True))

    def test_sections_cover_the_plan(self):
        self.assertLessEqual(set(measure_gpu.STEP_SECTIONS), set(measure_gpu.SECTIONS))
        self.assertEqual(set(gpu_plan.STEPS), set(measure_gpu.STEP_SECTIONS))

    def test_gemms_fit_the_operand_pools(self):
        plan = gpu_plan.gemm_plan()
        self.assertEqual(len(plan), len(set(plan)))
        for _, _, precision, m, n, k in plan:
            self.assertLessEqual(max(m * n, m * k, n * k), 2_200_000_000)
            if precision == "fp8":  # torch._scaled_mm takes multiples of 16
                self.assertEqual((m % 16, n % 16, k % 16), (0, 0, 0))

    def test_model_file_has_the_contract_fields(self):
        data = gpu_plan.model_file(gpu_plan.SHAPES["decoder-3b-measured"], "sample")
        self.assertEqual(data["schema_version"], "1.0")
        self.assertEqual(data["language"]["hidden"], 2560)
        self.assertEqual(data["language"]["head_dim"], 128)


class Parsing(unittest.TestCase):
    def test_smi_lines(self):
        self.assertEqual(gpu_rows.parse_smi_line("1980, 123.45, 41\n"), (1980.0, 123.45, 41.0))
        self.assertIsNone(gpu_rows.parse_smi_line("[N/A], [N/A], 41"))
        self.assertIsNone(gpu_rows.parse_smi_line(""))

    def test_mean_of_samples(self):
        samples = [(0.0, 100, 10, 1), (1.0, 200, 20, 2), (2.0, 400, 40, 4), (9.0, 1, 1, 1)]
        mean = gpu_rows.mean_of_samples(samples, 1.0, 2.0)
        self.assertEqual(mean, {"sm_mhz": 300, "watts": 30, "celsius": 3})
        self.assertEqual(gpu_rows.mean_of_samples(samples, 3.0, 4.0), {})

    def test_a_line_cut_short_is_left_out(self):
        self.assertEqual(gpu_rows.read_lines('{"a": 1}\n\n{"a": 2'), [{"a": 1}])

    def test_numbers_have_no_exponent(self):
        self.assertEqual(gpu_rows.number(1234567.8), "1234570")
        self.assertEqual(gpu_rows.number(0.0000123456789), "0.0000123457")


class Rows(unittest.TestCase):
    def test_step_row(self):
        row = gpu_rows.step_row(STEP, "h100-sxm", "torch 9.8.7")
        self.assertEqual(["id", *row], gpu_rows.COLUMNS)
        self.assertEqual(row["tokens_per_second_per_gpu"], "32768")  # 4 x 2048 / 0.25
        self.assertEqual((row["stack"], row["recompute"]), ("fsdp-compiled", "full"))
        self.assertEqual((row["sharding"], row["micro_batch"]), ("none", "4"))
        self.assertIn("45.00 GB; SM clock 1700 MHz, 650 W", row["hardware_note"])

    def test_lora_counts_no_weight_gradients(self):
        shape = gpu_plan.SHAPES[STEP["shape"]]
        flops = gpu_plan.model_flops_per_token(shape, 2048, 0) * 4 * 2048
        row = gpu_rows.step_row(LORA, "h100-sxm", "torch 9.8.7")
        self.assertAlmostEqual(
            float(row["reported_tflops_per_gpu"]), flops / 0.25 / 1e12, delta=0.1
        )

    def test_encoder_row(self):
        row = gpu_rows.encoder_row(ENCODER, "h100-sxm", "torch 9.8.7")
        self.assertEqual(["id", *row], gpu_rows.ENCODER_COLUMNS)
        self.assertEqual(row["images_per_second_per_gpu"], "640")
        self.assertEqual(row["tokens_per_image"], "577")


class Assemble(unittest.TestCase):
    def test_a_sample_folder_becomes_the_data_files(self):
        with tempfile.TemporaryDirectory() as name:
            raw, into = pathlib.Path(name) / "raw", pathlib.Path(name) / "runs"
            raw.mkdir()
            (raw / "meta.json").write_text(json.dumps(META), encoding="utf-8")
            write_lines(raw / "steps.jsonl", [STEP, OUT_OF_MEMORY, FLOOR, LORA], '{"shape": "cut')
            write_lines(raw / "encoders.jsonl", [ENCODER])
            write_lines(raw / "kernels.jsonl", [KERNEL])
            arguments = ["measure_gpu.py", "assemble", str(raw), "--into", str(into)]
            with contextlib.redirect_stdout(io.StringIO()):
                measure_gpu.main([*arguments[1:], "--date", "2026-11-21"])
            with open(into / "measured" / "h100-steps.csv", encoding="utf-8", newline="") as file:
                steps = list(csv.DictReader(file))
            self.assertEqual([r["id"] for r in steps], ["M0001", "M0002"])
            self.assertEqual([r["task"] for r in steps], ["pretrain", "lora"])
            text = (into / "measured" / "h100-kernels.json").read_text(encoding="utf-8")
            kernels = json.loads(text)
            self.assertEqual(kernels["meta"]["date"], "2026-11-21")
            self.assertEqual(kernels["kernels"][0]["seconds"], 1.23457e-5)
            self.assertEqual(len(kernels["steps"]), 4)  # failures and floors stay on record
            model = json.loads((into / "models" / f"{STEP['shape']}.json").read_text())
            self.assertEqual(model["language"]["layers"], 22)
            images = (into / "measured" / "h100-encoders.csv").read_text(encoding="utf-8")
            self.assertIn("ME0001", images)


if __name__ == "__main__":
    unittest.main()
