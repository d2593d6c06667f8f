#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refits the constants of data/engines and data/serving/architectures.json to data/serving/measurements.csv.

Needs numpy and scipy (Debian: python3-numpy, python3-scipy).

  refit_serving.py --data data                    errors with the constants as they stand
  refit_serving.py --data data --leave-one-out    and with every model left out of the fit in turn
  refit_serving.py --data data --write            fits, and writes the constants

The formula is that of src/performance/serving/serving_model.cpp, in numpy; tests/study/test_serving.cpp
compares the program's own errors with those printed here. A residual is ln(predicted / measured) of the
output rate, the time per output token and, with less weight, the time to the first token; a configuration
(model, chip, precision, GPUs, engine) has one vote. Rows run by users (run_by) lose a common factor, usual_gap, and
models with recurrent state are left out. Priors are physical: shares of bandwidth and of peak.
"""

import argparse
import collections
import csv
import json
import pathlib

import numpy as np
from scipy.optimize import least_squares

# constant: prior, spread of its logarithm. The first block belongs to chips, the second to engines.
CHIP = {"memory": (.75, .12), "cache": (.75, .2), "matmul": (.5, .3), "experts": (.65, .25),
        "expert_matmul": (.35, .4), "prefill": (.5, .3), "expert_prefill": (.35, .3),
        "reduce_seconds": (1.5e-5, .5), "reduce_link": (.5, .3), "exchange_seconds": (3e-5, .6),
        "exchange_link": (.2, .5), "fp4_share": (.8, .15), "layer_seconds": (1.5e-5, .5)}
ENGINE = {"layer": (1, .4), "step_seconds": (1e-3, .7), "sequence_seconds": (4e-6, .8),
          "prefill": (1, .3), "experts": (1, .25), "hidden_prefill": (.4, .3), "ramp": (.2, .4),
          "first_token_seconds": (.04, .7), "queue": (.1, .7), "expert_layer": (1.5, .3)}
# Matmuls of MI300X reach 51.4 % of the peak where those of H100 reach 80.3 % (Maximum Achievable Matmul FLOPS,
# bf16, github.com/stas00/ml-engineering compute/accelerator): what a fit to few rows starts from.
CDNA_MATMUL = .514 / .803
# What an architecture differs in from Hopper, and by how much it may: a spread around 1, or around the factor before.
FAMILIES = {"ampere": {"matmul": .3, "prefill": .3, "expert_prefill": .3},
            "blackwell": {"layer_seconds": .3, "matmul": .3, "prefill": .3, "expert_prefill": .3,
                          "experts": .15, "expert_matmul": .3},
            "cdna": {"memory": .3, "experts": .3, "layer_seconds": .4, "reduce_seconds": .4,
                     **{name: (CDNA_MATMUL, .3) for name in ("matmul", "prefill", "expert_matmul", "expert_prefill")}},
            "ada": {"prefill": .3, "expert_prefill": .3}}
# What users lose against tuned sweeps, a factor on every time of rows run by users.
USER = {"gap": (1.4, .3)}
ENGINE_OWN = {"trtllm": [], "vllm": ["layer", "step_seconds", "sequence_seconds", "prefill", "experts"],
              "sglang": ["layer", "step_seconds", "sequence_seconds", "prefill", "experts"]}
SPECIFIC = .4  # spread of what one engine or family has of its own

BYTES = {"bf16": (2, 2), "fp8": (1, 1), "mxfp4": (2, .53125), "nvfp4": (.5625, .5625)}  # attention, rest
IMBALANCE = 1.1   # of experts, load of the busiest GPU over the mean
CHUNK = 2048.0


def value(x):
    return x["value"] if isinstance(x, dict) else x


def shape(data, name):
    l = json.loads((data / f"models/{name}.json").read_text())["language"]
    L, h, a = l["layers"], l["hidden"], l["heads"]
    kv, d = l.get("kv_heads", a), l.get("head_dim", h / a)
    matrices = 3 if l.get("mlp", "gated") == "gated" else 2
    mla, moe = l.get("mla"), l.get("moe")
    if mla:
        q, c = mla["q_lora_rank"], mla["kv_lora_rank"]
        n, r, v = mla["qk_nope_head_dim"], mla["qk_rope_head_dim"], mla["v_head_dim"]
        attention = (h * q + q * a * (n + r) if q else h * a * (n + r)) + h * (c + r) \
            + c * a * (n + v) + a * v * h
        width, decode, prefill = c + r, 2 * a * (2 * c + r), 2 * a * (n + r + v)
    else:
        attention = 2 * h * a * d + 2 * h * kv * d
        width, decode, prefill = 2 * kv * d, 4 * a * d, 4 * a * d
    s = dict(L=L, h=h, attention=attention * L, head=l["vocab"] * h, mla=bool(mla), kv=kv, width=width,
             tied=l.get("tied_embeddings", False), decode=decode * L, prefill=prefill * L, E=0, k=0,
             Lm=0, expert=0, active=0)
    if moe:
        dense, ef = moe.get("dense_layers", 0), moe["expert_ffn"]
        s.update(E=moe["experts"], k=moe["experts_per_token"], Lm=L - dense)
        s["expert"] = s["Lm"] * s["E"] * matrices * h * ef
        s["active"] = s["Lm"] * s["k"] * matrices * h * ef
        s["dense"] = dense * matrices * h * l.get("ffn", 0) \
            + s["Lm"] * (matrices * h * moe.get("shared_ffn", 0) + h * s["E"])
    else:
        s["dense"] = L * matrices * h * l["ffn"]
    w = l.get("attention_window")
    s["windows"] = [(x["share"], x.get("window") or 0) for x in w] if isinstance(w, list) else [(1, w or 0)]
    return s


def chip(data, name):
    a = json.loads((data / f"accelerators/{name}.json").read_text())
    peak = lambda p: value(a["dense_peak"].get(f"{p}_flop_per_second", 0))
    system = json.loads((data / f"systems/{a['system']}.json").read_text())
    family = next((f for f in FAMILIES if a["architecture"].startswith(f)), "hopper")
    return dict(bw=value(a["memory_bytes_per_second"]), memory=value(a["memory_bytes"]), family=family,
                bf16=peak("bf16"), fp8=peak("fp8"), fp4=peak("nvfp4"),
                link=value(system["tiers"][0]["bytes_per_second_per_direction"]))


def features(row, s, c):
    precision, t, dp, n = row["precision"], int(row["tp"]), int(row["dp"]), int(row["gpus"])
    attention, rest = BYTES[precision]
    if precision == "nvfp4" and s["E"]:
        attention = 1
    dense = attention if s["E"] else rest
    kv = row["kv_precision"] or ("fp8" if row["engine"] == "trtllm" and precision != "bf16" else "bf16")
    kvb = 1 if kv == "fp8" else 2

    def peak(b):
        if b == 2:
            return c["bf16"], 0
        if b == 1:
            return c["fp8"] or c["bf16"], 0
        return (c["fp4"], 1) if c["fp4"] else (c["bf16"], 0)
    i, o = float(row["input_tokens"]), float(row["output_tokens"])
    ctx = lambda length: sum(x * (min(length, w) if w else length) for x, w in s["windows"])
    # Tokens that the mean token of a prompt sees (visible_tokens() of src/workload/blocks/core.cpp).
    seen = sum(x * (w - w * (w - 1) / (2 * i) if 0 < w < i else i / 2) for x, w in s["windows"])
    pa, ga = peak(attention)
    pd, gd = peak(dense)
    pe, ge = peak(rest)
    token = s["L"] * s["width"] * kvb
    f = dict(t=t, dp=dp, n=n, i=i, o=o, L=s["L"], h=s["h"], E=s["E"], k=s["k"], Lm=s["Lm"],
             Wr=s["attention"] * attention + s["dense"] * dense + 2 * s["head"], We=s["expert"] * rest,
             Pa=s["attention"], Pd=s["dense"], Pv=s["head"], Pe=s["active"], emb=0 if s["tied"] else 2 * s["head"],
             pa=pa, ga=ga, pd=pd, gd=gd, pe=pe, ge=ge, mid=ctx(i + o / 2), seen=seen, full=ctx(i + .5 * o), token=token,
             shard=1 if s["mla"] else min(t, s["kv"]), decode=s["decode"], prefill=s["prefill"],
             bw=c["bw"], memory=c["memory"], bf16=c["bf16"], link=c["link"],
             C=float(row["concurrency"] or 1e9), mode=["online", "offline", "static"].index(row["mode"]))
    f["user"] = float(row.get("run_by") == "user")
    for family in FAMILIES:
        f[family] = float(c["family"] == family)
    for engine in ENGINE_OWN:
        f[engine] = float(row["engine"] == engine)
    return f


def names_and_priors():
    table = {}
    for group, constants in (("chip", CHIP), ("engine", ENGINE)):
        for name, (prior, sigma) in constants.items():
            table[f"{group}.{name}"] = (prior, sigma)
    for name, prior in USER.items():
        table[f"user.{name}"] = prior
    for family, own in FAMILIES.items():
        for name, spread in own.items():
            table[f"{family}.{name}"] = spread if isinstance(spread, tuple) else (1, spread)
    for engine, own in ENGINE_OWN.items():
        for name in own:
            table[f"{engine}.{name}"] = (1, SPECIFIC)
    return table


TABLE = names_and_priors()
NAMES = list(TABLE)
PRIOR = np.log([TABLE[n][0] for n in NAMES])
SIGMA = np.array([TABLE[n][1] for n in NAMES])


def smooth(a, b):
    return (a ** 4 + b ** 4) ** .25


def predict(z, x):
    q = dict(zip(NAMES, np.exp(z)))

    def of_chip(name):
        out = q[f"chip.{name}"]
        for family in FAMILIES:
            if f"{family}.{name}" in q:
                out = out * q[f"{family}.{name}"] ** x[family]
        return out

    def of_engine(name):
        out = q[f"engine.{name}"]
        for engine in ENGINE_OWN:
            if f"{engine}.{name}" in q:
                out = out * q[f"{engine}.{name}"] ** x[engine]
        return out
    t, n, dp, bw = x["t"], x["n"], x["dp"], x["bw"]
    gain = q["chip.fp4_share"]
    pa, pd = x["pa"] * np.where(x["ga"] > 0, gain, 1), x["pd"] * np.where(x["gd"] > 0, gain, 1)
    pe = x["pe"] * np.where(x["ge"] > 0, gain, 1)
    free = x["memory"] - (x["Wr"] + x["emb"]) / t - x["We"] / n
    free = np.where(x["trtllm"] > 0, .92 * (free - 2e9), free - .1 * x["memory"] - 2.5e9)
    most = np.maximum(dp * free * x["shard"] / (x["token"] * x["full"]), 1)
    B = np.where(x["mode"] == 1, np.minimum(most, 4096 * dp), np.where(x["mode"] == 2, x["C"], np.minimum(x["C"], most)))
    local = np.maximum(B / dp, 1)
    weights = x["Wr"] / t / (bw * of_chip("memory"))
    multiplied = 2 * local / t / of_chip("matmul") * (x["Pa"] / pa + x["Pd"] / pd + x["Pv"] / x["bf16"])
    dense = smooth(weights, multiplied)
    moe = x["E"] > 0
    touched = np.where(moe, 1 - (1 - np.where(moe, x["k"] / np.maximum(x["E"], 1), 0)) ** B, 0)
    read = x["We"] * touched / (n * bw * of_chip("experts") * of_engine("experts"))
    computed = 2 * x["Pe"] * B / (n * pe * of_chip("expert_matmul"))
    experts = np.where(moe, IMBALANCE * smooth(read + 1e-30, computed + 1e-30), 0)
    waiting = dense - multiplied + experts - np.where(moe, IMBALANCE * computed, 0)
    cache = smooth(x["token"] * x["mid"] * local / x["shard"] / (bw * of_chip("cache")),
                   x["decode"] * x["mid"] * local / (t * .6 * x["bf16"]))
    reduce_rate = x["link"] * of_chip("reduce_link")
    share = 2 * (t - 1) / t * x["h"] * 2 / reduce_rate
    tensor = np.where(t > 1, 2 * x["L"] * (of_chip("reduce_seconds") * np.log2(np.maximum(t, 2)) / 3 + local * share), 0)
    exchange = np.where(moe & (dp > 1), x["Lm"] * (2 * of_chip("exchange_seconds")
                        + B / n * x["k"] * x["h"] * 3 / (x["link"] * of_chip("exchange_link"))), 0)
    host = x["L"] * of_chip("layer_seconds") * of_engine("layer") * np.where(moe, of_engine("expert_layer"), 1) \
        + of_engine("step_seconds") + of_engine("sequence_seconds") * local
    step = dense + experts + cache + tensor + exchange + host
    per_token = 2 * ((x["Pa"] / pa + x["Pd"] / pd) / of_chip("prefill") + x["Pe"] / pe / of_chip("expert_prefill")) \
        / of_engine("prefill") / n + x["prefill"] * x["seen"] / (.5 * x["bf16"]) / n \
        + np.where(t > 1, 2 * x["L"] * share / dp, 0)
    busy = np.maximum(B - 1, 0) * x["i"] / x["o"] * per_token
    chunks = B * x["i"] / x["o"] / np.minimum(x["i"], CHUNK)
    between = step + busy - of_engine("hidden_prefill") * np.minimum(np.minimum(chunks, 1) * waiting, busy)
    prompt = x["i"] * per_token
    first = of_engine("first_token_seconds") + host + prompt + of_engine("queue") * prompt * B
    first = first + np.where((x["mode"] == 0), np.maximum(x["C"] / most - 1, 0) * (x["o"] * between + first), 0)
    rate = np.where(x["mode"] == 0, x["C"] * x["o"] / (first + (x["o"] - 1) * between),
                    np.where(x["mode"] == 1, B * x["o"] / (prompt + x["o"] * between) / (1 + .5 * of_engine("ramp")),
                             B * x["o"] / (B * prompt + host + x["o"] * step))) / n
    gap = q["user.gap"] ** x["user"]
    return np.where(free > 0, rate / gap, 1e-3), between * gap, first * gap


class Rows:
    def __init__(self, data):
        shapes, chips, self.rows, f = {}, {}, [], []
        for row in csv.DictReader(open(data / "serving/measurements.csv")):
            # This fit knows no recurrent state.
            if "pattern" in json.loads((data / f"models/{row['model']}.json").read_text())["language"]:
                continue
            s = shapes.setdefault(row["model"], None) or shapes.update({row["model"]: shape(data, row["model"])}) or shapes[row["model"]]
            c = chips.setdefault(row["accelerator"], None) or chips.update({row["accelerator"]: chip(data, row["accelerator"])}) or chips[row["accelerator"]]
            self.rows.append(row)
            f.append(features(row, s, c))
        self.x = {k: np.array([r[k] for r in f], float) for k in f[0]}
        number = lambda column: np.array([float(r[column] or "nan") for r in self.rows])
        self.rate, self.between, self.first = map(number, ("output_tokens_per_second_per_gpu", "tpot_seconds", "ttft_seconds"))
        keys = [(r["model"], r["accelerator"], r["precision"], r["gpus"], r["engine"]) for r in self.rows]
        size = collections.Counter(keys)
        self.weight = np.array([1 / size[k] for k in keys])
        self.model = np.array([r["model"] for r in self.rows])

    def residuals(self, z, chosen):
        rate, between, first = predict(z, self.x)
        w = np.sqrt(self.weight)

        def soft(e, scale):
            e = np.nan_to_num(np.where(chosen, e, 0)) / scale
            return np.sign(e) * np.sqrt(2 * (np.sqrt(1 + e * e) - 1)) * w
        return np.concatenate([soft(np.log(rate / self.rate), .15), .7 * soft(np.log(between / self.between), .15),
                               .3 * soft(np.log(first / self.first), .4), (z - PRIOR) / SIGMA])

    def fit(self, chosen, start=PRIOR):
        return least_squares(lambda z: self.residuals(z, chosen), start, max_nfev=40, x_scale=.2).x

    def report(self, error, words):
        a, order = np.abs(np.expm1(error)), np.argsort(np.abs(np.expm1(error)))
        votes = np.cumsum(self.weight[order]) / self.weight.sum()
        at = lambda q: a[order][np.searchsorted(votes, q)]
        print(f"{words:20s} {len(a)} rows: median {np.median(a):.3f}, 90 % {np.quantile(a, .9):.3f}; one vote each "
              f"{at(.5):.3f}, {at(.9):.3f}; bias {np.median(error):+.3f}; pairs of chips ordered rightly {self.pairs(error):.3f}")

    def pairs(self, error):
        groups = collections.defaultdict(list)
        for j, r in enumerate(self.rows):
            groups[tuple(r[k] for k in ("model", "input_tokens", "output_tokens", "concurrency", "mode", "engine"))].append(j)
        predicted, right, all_pairs = np.log(self.rate) + error, 0, 0
        for g in groups.values():
            for x in range(len(g)):
                for y in range(x):
                    a, b = g[x], g[y]
                    if self.rows[a]["accelerator"] != self.rows[b]["accelerator"] and abs(np.log(self.rate[a] / self.rate[b])) > .1:
                        all_pairs += 1
                        right += (self.rate[a] > self.rate[b]) == (predicted[a] > predicted[b])
        return right / all_pairs


def read_constants(data):
    z = PRIOR.copy()
    chips = json.loads((data / "serving/architectures.json").read_text())
    engines = {e: json.loads((data / f"engines/{e}.json").read_text()) for e in ENGINE_OWN}
    for j, name in enumerate(NAMES):
        group, constant = name.split(".")
        if group == "chip":
            z[j] = np.log(chips["hopper"][constant])
        elif group == "engine":
            z[j] = np.log(engines["trtllm"][constant])
        elif group == "user":
            z[j] = engines["trtllm"].get("usual_gap", 0.4)
        elif group in FAMILIES:
            z[j] = np.log(chips[group][constant] / chips["hopper"][constant])
        else:
            z[j] = np.log(engines[group][constant] / engines["trtllm"][constant])
    return z


def write_constants(data, z):
    q = dict(zip(NAMES, np.exp(z)))
    path = data / "serving/architectures.json"
    document = json.loads(path.read_text())
    for family in ["hopper", *FAMILIES]:
        document[family] = {c: float(f"{q['chip.' + c] * q.get(f'{family}.{c}', 1):.4g}") for c in CHIP}
    path.write_text(json.dumps(document, indent=2) + "\n")
    for engine in ENGINE_OWN:
        path = data / f"engines/{engine}.json"
        document = json.loads(path.read_text())
        document.update({c: float(f"{q['engine.' + c] * q.get(f'{engine}.{c}', 1):.4g}") for c in ENGINE})
        document["usual_gap"] = float(f"{np.log(q['user.gap']):.4g}")
        path.write_text(json.dumps(document, indent=2) + "\n")


def write_typical(data):
    """The engine that nobody named: the geometric mean of the three."""
    known = [json.loads((data / f"engines/{e}.json").read_text()) for e in ENGINE_OWN]
    path = data / "engines/typical.json"
    document = json.loads(path.read_text())
    document.update({c: float(f"{np.exp(np.mean([np.log(k[c]) for k in known])):.4g}") for c in ENGINE})
    document["usual_gap"] = known[0]["usual_gap"]
    path.write_text(json.dumps(document, indent=2) + "\n")


def write_spread(data, rows, error):
    path = data / "serving/spread.json"
    document = json.loads(path.read_text())
    for name, chosen in (("dense", rows.x["E"] == 0), ("mixture", rows.x["E"] > 0)):
        a, w = np.abs(error[chosen]), rows.weight[chosen]
        order = np.argsort(a)
        document[name] = float(f"{a[order][np.searchsorted(np.cumsum(w[order]) / w.sum(), .68)]:.3g}")
    path.write_text(json.dumps(document, indent=2) + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=pathlib.Path, required=True)
    arguments.add_argument("--leave-one-out", action="store_true")
    arguments.add_argument("--write", action="store_true")
    a = arguments.parse_args()
    rows = Rows(a.data)
    everything = np.ones(len(rows.rows), bool)
    if a.write:
        z = rows.fit(everything)
        write_constants(a.data, z)
        write_typical(a.data)
        for name, v, p, s in zip(NAMES, z, PRIOR, SIGMA):
            print(f"{name:28s} {np.exp(v):10.4g} {(v - p) / s:+.1f}")
    z = read_constants(a.data)
    rows.report(np.log(predict(z, rows.x)[0] / rows.rate), "fitted")
    if a.leave_one_out:
        error = np.zeros(len(rows.rows))
        for model in sorted(set(rows.model)):
            out = rows.model == model
            error[out] = np.log(predict(rows.fit(~out, z), rows.x)[0] / rows.rate)[out]
            e = np.abs(np.expm1(error[out]))
            print(f"  {model:20s} {out.sum():4d} rows, left out: median {np.median(e):.3f}, 90 % {np.quantile(e, .9):.3f}, bias {np.median(error[out]):+.3f}")
        rows.report(error, "model left out")
        if a.write:
            write_spread(a.data, rows, error)


if __name__ == "__main__":
    main()
