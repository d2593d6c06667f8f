# SPDX-License-Identifier: Apache-2.0
"""Reads `trcost estimate --explain --format json` and computes again, from the numbers of `step` alone,
each collective (model.md 5.1), attention's kernels (arXiv:2307.08691: five matmuls backward for two forward)
and the bytes of activations."""
import json
import math
import sys

TIERS = ("innermost", "second", "third", "fourth")


def near(name, computed, said):
    if abs(computed - said) > 1e-9 * abs(said) + 1e-15:
        sys.exit(f"{name}: {computed} by hand, not {said}")


def ring_bytes(collective, members):
    """What a rank sends over each tier in a gather: (g-1)/g of what the tiers inside left to join."""
    inside, out = 1, []
    for g in members:
        out.append(collective["bytes"] / inside * (g - 1) / g if g else 0)
        inside *= g or 1
    return out


def by_hand(c, step):
    members = [c["tier_members"][t] or 0 for t in TIERS]
    sent = [c["tier_bytes"][t] or 0 for t in TIERS]
    rates = [t["bytes_per_second"] * t["efficiency"] for t in step["tiers"]]
    latencies = [t["latency_seconds"] for t in step["tiers"]]
    kind, half = c["kind"], step["link_half_bytes"]
    if kind == "transfer":
        at = next(i for i, g in enumerate(members) if g)
        near("bytes of a transfer", sent[at], c["bytes"])
        return sent[at] / rates[at] + latencies[at]
    ring = kind in ("gather", "all-reduce")
    near("ranks of the tiers", math.prod(g or 1 for g in members), c["members"])
    if ring:
        for over, said in zip(ring_bytes(c, members), sent):
            near("bytes over a tier", over, said)
    else:
        near("bytes within a domain", c["bytes"] * (members[0] - 1) / c["members"], sent[0])
    seconds, latency = [], 0
    for i, g in enumerate(members):
        if g <= 1:
            continue
        payload = sent[i] + (half * (g - 1) / (g if ring else c["members"]) if i == 0 else 0)
        seconds.append(payload / rates[i])
        latency += latencies[i] * (math.log2(g) + (step["ring_step_share"] * (g - 1) if ring else 0))
    shorter = sum(seconds) - max(seconds)
    whole = max(seconds) + (step["shorter_tiers_share"] * shorter if ring else 0) + latency
    if kind == "gather":
        inside = members[0] or 1
        steps = (inside - 1) * (c["members"] / inside - 1)
        whole += step["inner_step_share"] * latencies[0] * steps
    return c["passes"] * whole


def attention(k, step):
    core = k["attention"]
    slow = core["of_head"] * core["of_length"]
    ramp, memory = step["ramp_seconds"], step["memory_rate"]
    near("attention, forward", k["flops"] * slow / core["flops_per_second"] + k["bytes"] / memory +
         core["starts"] * ramp, k["forward_seconds"])
    if not k["input_gradients_seconds"]:
        return
    materialised = k["bytes"] > 0
    near("attention's work, backward", (2 if materialised else 2.5) * k["flops"], core["backward_flops"])
    near("attention, backward", core["backward_flops"] * slow / core["backward_flops_per_second"] +
         core["backward_bytes"] / memory + core["backward_starts"] * ramp, k["input_gradients_seconds"])


def activations(step):
    a = step["activations"]
    mix = lambda own, again: own + a["repeated"] * (again - own)
    near("activations", a["in_flight"] * mix(a["kept_bytes"], a["repeated_kept_bytes"]) +
         mix(a["transient_bytes"], a["repeated_transient_bytes"]) - a["host_bytes"], step["activation_bytes"])


def main():
    step = json.load(sys.stdin)["estimates"][0]["step"][0]
    for e in step["exchanges"]:
        for c in e["collectives"]:
            near(f"{e['name']}: one {c['kind']}", by_hand(c, step), c["seconds"])
        if e["collectives"]:
            near(e["name"], sum(c["times"] * c["seconds"] for c in e["collectives"]), e["each_seconds"])
    if step["transfers"]:
        tier = step["tiers"][int(step["transfer_tier"])]
        one = step["transfer_bytes"] / (tier["bytes_per_second"] * tier["efficiency"]) + tier["latency_seconds"]
        near("transfer", step["transfers"] * step["transfer_shown"] * one, step["transfer_seconds"])
    for k in step["kernels"]:
        if k["kind"] == "attention":
            attention(k, step)
    activations(step)
    print(*sorted({c["kind"] for e in step["exchanges"] for c in e["collectives"]}))


main()
