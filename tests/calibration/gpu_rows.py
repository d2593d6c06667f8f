# SPDX-License-Identifier: Apache-2.0
"""Raw measurements (JSON lines) -> the files of data/runs/measured. Standard library only."""

import csv
import decimal
import io
import json

import gpu_plan

COLUMNS = (
    "id,source,model,task,accelerator,gpus,tp,pp,vp,cp,ep,dp,sharding,micro_batch,global_batch,"
    "seq_length,precision,recompute,attention,stack,version,tokens_per_second_per_gpu,"
    "step_seconds,reported_tflops_per_gpu,reported_definition,quality,group,layout_known,"
    "quantised_base,hardware_note"
).split(",")
ENCODER_COLUMNS = (
    "id,source,encoder,task,accelerator,gpus,batch_images,tokens_per_image,precision,stack,version,"
    "images_per_second_per_gpu,step_seconds,quality,hardware_note"
).split(",")
SOURCE = "trcost measure_gpu.py"
FLOP_DEFINITION = "model FLOPs: matmuls and the causal half of attention, no recompute"
STACKS = {
    "eager": "fsdp",
    "compiled": "fsdp-compiled",
    "fsdp": "fsdp",
    "fsdp-compiled": "fsdp-compiled",
    "hf": "hf-trainer",
}


def parse_smi_line(line):
    """A CSV line of nvidia-smi (clocks.sm, power.draw, temperature.gpu) -> (MHz, W, C), or None."""
    fields = [f.strip() for f in line.split(",")]
    if len(fields) < 3:
        return None
    try:
        return float(fields[0]), float(fields[1]), float(fields[2])
    except ValueError:
        return None


def mean_of_samples(samples, start, end):
    """Mean clock, power and temperature of the samples (time, MHz, W, C) within [start, end]."""
    inside = [s for s in samples if start <= s[0] <= end]
    if not inside:
        return {}
    mean = [sum(s[i] for s in inside) / len(inside) for i in (1, 2, 3)]
    return {"sm_mhz": round(mean[0], 1), "watts": round(mean[1], 1), "celsius": round(mean[2], 1)}


def read_lines(text):
    """The JSON objects of a JSON-lines text; a line cut short by an interruption is left out."""
    rows = []
    for line in text.splitlines():
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return rows


def number(value, digits=6):
    """A number with the given significant digits and without an exponent."""
    return format(decimal.Decimal(f"{value:.{digits}g}"), "f")


def note(raw):
    parts = ["one GPU"]
    if raw["task"] == "lora":
        parts.append("LoRA rank 16 on all linears, frozen bf16 base")
    else:
        parts.append("AdamW with fp32 master weights")
    if raw["variant"].startswith("fsdp"):
        parts.append("FSDP2 over one rank")
    if raw.get("attention") == "cudnn":
        parts.append("cuDNN attention")
    parts.append(f"peak memory {raw['peak_bytes'] / 1e9:.2f} GB")
    if "sm_mhz" in raw:
        parts.append(f"SM clock {raw['sm_mhz']:.0f} MHz, {raw['watts']:.0f} W")
    return "; ".join(parts)


def step_row(raw, accelerator, version):
    """A raw step -> a row with the columns of data/runs (without its id)."""
    shape = gpu_plan.SHAPES[raw["shape"]]
    tokens = raw["seq"] * raw["batch"]
    seconds = raw["step_seconds"]
    share = 0.0 if raw["task"] == "lora" else 1.0
    flops = gpu_plan.model_flops_per_token(shape, raw["seq"], share) * tokens
    stack = STACKS[raw["variant"]]
    return {
        "source": SOURCE,
        "model": shape.name,
        "task": raw["task"],
        "accelerator": accelerator,
        "gpus": "1",
        "tp": "1",
        "pp": "1",
        "vp": "",
        "cp": "1",
        "ep": "1",
        "dp": "1",
        "sharding": "parameters" if raw["variant"].startswith("fsdp") else "none",
        "micro_batch": str(raw["batch"]),
        "global_batch": str(raw["batch"]),
        "seq_length": str(raw["seq"]),
        "precision": "bf16",
        "recompute": "full" if raw["recompute"] else "none",
        "attention": "flash",
        "stack": stack,
        "version": version,
        "tokens_per_second_per_gpu": number(tokens / seconds),
        "step_seconds": number(seconds),
        "reported_tflops_per_gpu": number(flops / seconds / 1e12, 4),
        "reported_definition": FLOP_DEFINITION,
        "quality": "A",
        "group": "|".join(["measured", shape.name, accelerator, stack, raw["task"]]),
        "layout_known": "yes",
        "quantised_base": "",
        "hardware_note": note(raw),
    }


def encoder_row(raw, accelerator, version):
    encoder = gpu_plan.ENCODERS[raw["encoder"]]
    what = (
        "forward only"
        if raw["task"] == "frozen"
        else "forward, backward, AdamW with fp32 master weights"
    )
    return {
        "source": SOURCE,
        "encoder": encoder.name,
        "task": raw["task"],
        "accelerator": accelerator,
        "gpus": "1",
        "batch_images": str(raw["batch"]),
        "tokens_per_image": str(encoder.tokens),
        "precision": "bf16",
        "stack": "fsdp-compiled" if raw["compiled"] else "fsdp",
        "version": version,
        "images_per_second_per_gpu": number(raw["batch"] / raw["step_seconds"]),
        "step_seconds": number(raw["step_seconds"]),
        "quality": "A",
        "hardware_note": f"one GPU; {what}; peak memory {raw['peak_bytes'] / 1e9:.2f} GB",
    }


def numbered(rows, prefix):
    return [{"id": f"{prefix}{i:04d}", **row} for i, row in enumerate(rows, 1)]


def to_csv(rows, columns):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def usable(raw):
    return "step_seconds" in raw and not raw.get("shape", "").startswith("tiny")


def rounded(row):
    """The row with its floating-point numbers at six significant digits."""
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in row.items()}
