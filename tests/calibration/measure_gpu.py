#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures an accelerator for calibration: kernels, launches and whole training steps.

  measure_gpu.py measure OUT [--sections a,b] [--budget SECONDS]   needs PyTorch and a CUDA device
  measure_gpu.py assemble OUT... --into DIR --date YYYY-MM-DD      standard library only
  measure_gpu.py plan                                              lists what would be measured

measure appends JSON lines to OUT/{kernels,steps,encoders}.jsonl as they come, so an interrupted run
keeps what it had; assemble turns one or more such folders into data/runs/measured and
data/runs/models.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import threading
import time

import gpu_plan
import gpu_rows

# section -> seconds it may take at most
SECTIONS = {
    "launch": 20,
    "memory": 20,
    "gemm": 120,
    "sustained": 30,
    "attention": 90,
    "grouped": 15,
    "elementwise": 90,
    "layer": 90,
    "eager": 300,
    "lora": 90,
    "floor": 90,
    "fsdp": 60,
    "encoders": 150,
    "compiled": 330,
    "fsdp-compiled": 60,
    "hf": 40,
}
STEP_SECTIONS = ("eager", "lora", "fsdp", "compiled", "fsdp-compiled", "hf")


class Clock:
    """The time that the whole run and each section may still take."""

    def __init__(self, budget):
        self.end = time.monotonic() + budget
        self.limits = {}

    def start(self, section):
        self.limits[section] = time.monotonic() + SECTIONS[section]

    def over(self, section):
        return time.monotonic() > min(self.end, self.limits.get(section, self.end))


class Recorder:
    """Writes one JSON line per measurement; a failure becomes a line with its error."""

    def __init__(self, out):
        self.out = out
        self.samples = []
        self.began = time.monotonic()

    def __call__(self, table, /, **fields):
        start = time.time()
        measured = {}
        for key in ("seconds", "result"):
            if not callable(fields.get(key)):
                continue
            try:
                value = fields.pop(key)()
                measured.update(value if isinstance(value, dict) else {key: value})
            except Exception as error:  # an out-of-memory or unsupported case is a result too
                measured["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:160]
        if table != "kernels" or fields.get("kind") == "gemm-sustained":
            measured.update(gpu_rows.mean_of_samples(self.samples, start, time.time()))
        self.write(table, {**fields, **measured})

    def guard(self, what, *context_and_call):
        *context, call = context_and_call
        try:
            call()
        except Exception as error:
            line = f"{type(error).__name__}: {error}".splitlines()[0][:160]
            self.write("kernels", {"kind": what, "case": str(context), "error": line})

    def write(self, table, row):
        with open(self.out / f"{table}.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        if table != "kernels" or "error" in row:
            print(f"{time.monotonic() - self.began:7.1f} {json.dumps(row)[:260]}", flush=True)


def watch(recorder):
    """Samples clock, power and temperature five times a second into recorder.samples."""
    query = [
        "nvidia-smi",
        "--query-gpu=clocks.sm,power.draw,temperature.gpu",
        "--format=csv,noheader,nounits",
    ]
    process = subprocess.Popen([*query, "-lms", "200"], stdout=subprocess.PIPE, text=True)

    def read():
        for line in process.stdout:
            sample = gpu_rows.parse_smi_line(line)
            if sample:
                recorder.samples.append((time.time(), *sample))

    threading.Thread(target=read, daemon=True).start()
    return process


def describe(torch):
    query = [
        "nvidia-smi",
        "--query-gpu=name,driver_version,power.limit,clocks.max.sm",
        "--format=csv,noheader",
    ]
    name, driver, power, clock = [
        f.strip() for f in subprocess.check_output(query, text=True).split("\n")[0].split(",")
    ]
    processor = [
        x.split(":")[1].strip()
        for x in open("/proc/cpuinfo", encoding="utf-8")
        if x.startswith("model name")
    ]
    return {
        "device": name,
        "driver": driver,
        "power_limit": power,
        "max_sm_clock": clock,
        "processor": processor[0] if processor else None,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
        "multiprocessors": torch.cuda.get_device_properties(0).multi_processor_count,
        "memory_bytes": torch.cuda.get_device_properties(0).total_memory,
    }


def measure(arguments):
    try:
        import torch
    except ImportError:
        sys.exit("measure_gpu.py: 'measure' needs PyTorch; 'plan' and 'assemble' do not")
    if not torch.cuda.is_available():
        sys.exit("measure_gpu.py: PyTorch sees no CUDA device here; run 'measure' where one is")

    import gpu_kernels
    import gpu_layers
    import gpu_steps

    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "meta.json").write_text(json.dumps(describe(torch), indent=2) + "\n", encoding="utf-8")
    recorder, clock = Recorder(out), Clock(arguments.budget)
    watcher = watch(recorder)
    try:
        for section in arguments.sections.split(","):
            clock.start(section)
            print(f"{time.monotonic() - recorder.began:7.1f} section {section}", flush=True)
            try:
                if section in STEP_SECTIONS:
                    gpu_steps.run_section(section, recorder, clock, arguments.tiny)
                else:
                    places = [
                        m for m in (gpu_kernels, gpu_layers, gpu_steps) if hasattr(m, section)
                    ]
                    getattr(places[0], section)(recorder, clock, arguments.tiny)
            except Exception as error:
                recorder.write(
                    "kernels", {"kind": "section", "section": section, "error": str(error)[:300]}
                )
            gpu_steps.free()
    finally:
        watcher.terminate()
        rows = [
            f"{t:.2f},{mhz:.0f},{watts:.1f},{celsius:.0f}"
            for t, mhz, watts, celsius in recorder.samples
        ]
        (out / "clock.csv").write_text(
            "\n".join(["time,sm_mhz,watts,celsius", *rows]) + "\n", encoding="utf-8"
        )
    print(f"{time.monotonic() - recorder.began:7.1f} done", flush=True)


def load(folders, name):
    rows = []
    for folder in folders:
        path = pathlib.Path(folder) / f"{name}.jsonl"
        if path.exists():
            rows += gpu_rows.read_lines(path.read_text(encoding="utf-8"))
    return rows


def assemble(arguments):
    meta = json.loads((pathlib.Path(arguments.out[0]) / "meta.json").read_text(encoding="utf-8"))
    meta = {"source": gpu_rows.SOURCE, "date": arguments.date, **meta}
    version = f"torch {meta['torch'].split('+')[0]}"
    into, models = (
        pathlib.Path(arguments.into) / "measured",
        pathlib.Path(arguments.into) / "models",
    )
    into.mkdir(parents=True, exist_ok=True)
    models.mkdir(parents=True, exist_ok=True)
    raw_steps, raw_encoders = load(arguments.out, "steps"), load(arguments.out, "encoders")
    steps = [
        gpu_rows.step_row(r, arguments.accelerator, version)
        for r in raw_steps
        if gpu_rows.usable(r)
    ]
    encoders = [
        gpu_rows.encoder_row(r, arguments.accelerator, version)
        for r in raw_encoders
        if gpu_rows.usable(r)
    ]
    name = arguments.name
    text = gpu_rows.to_csv(gpu_rows.numbered(steps, "M"), gpu_rows.COLUMNS)
    (into / f"{name}-steps.csv").write_text(text, encoding="utf-8")
    text = gpu_rows.to_csv(gpu_rows.numbered(encoders, "ME"), gpu_rows.ENCODER_COLUMNS)
    (into / f"{name}-encoders.csv").write_text(text, encoding="utf-8")
    lines = {
        "kernels": load(arguments.out, "kernels"),
        "steps": raw_steps,
        "encoders": raw_encoders,
    }
    body = ",\n".join(
        f'"{k}": [\n' + ",\n".join(json.dumps(gpu_rows.rounded(r)) for r in v) + "\n]"
        for k, v in lines.items()
    )
    head = json.dumps({"schema_version": "1.0", "meta": meta}, indent=2)[:-2]
    (into / f"{name}-kernels.json").write_text(head + ",\n" + body + "\n}\n", encoding="utf-8")
    for shape in sorted({r["model"] for r in steps}):
        note = "shape built for timing by tests/calibration/measure_gpu.py"
        data = gpu_plan.model_file(gpu_plan.SHAPES[shape], note)
        (models / f"{shape}.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    print(f"{len(steps)} steps, {len(encoders)} encoder rows, {len(lines['kernels'])} kernels")


def plan(_):
    for section in STEP_SECTIONS:
        for step in gpu_plan.step_plan(section):
            print(
                section,
                step.shape,
                f"{step.batch}x{step.seq}",
                "recompute" if step.recompute else "",
            )
    print(len(gpu_plan.gemm_plan()), "GEMMs,", len(gpu_plan.attention_plan()), "attention cases")


def main(argv=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("out")
    one.add_argument("--sections", default=",".join(SECTIONS))
    one.add_argument("--budget", type=float, default=1500.0)
    one.add_argument("--tiny", action="store_true", help="small shapes only: a smoke test")
    two = commands.add_parser("assemble")
    two.add_argument("out", nargs="+")
    two.add_argument("--into", required=True, help="the folder data/runs")
    two.add_argument("--date", required=True)
    two.add_argument("--name", default="h100", help="first word of the files' names")
    two.add_argument("--accelerator", default="h100-sxm", help="catalog name of the device")
    commands.add_parser("plan")
    arguments = parser.parse_args(argv)
    {"measure": measure, "assemble": assemble, "plan": plan}[arguments.command](arguments)


if __name__ == "__main__":
    sys.exit(main())
