# SPDX-License-Identifier: Apache-2.0
"""Spreads of ln(predicted/measured) by family of rows, from predictions without the row's source.

A source's own rows say nothing of how far a source lies that nobody has seen, so every prediction
leaves its source out, sources count by the root of their experiments, and a family weighs against
the wider one by how many sources it effectively has. nearest_sigma is what nearest_quality of
src/performance/training/method_quality.cpp does.
"""

import collections
import math

import numpy as np

PRIOR_SOURCES = 4.0  # kPriorSources of src/performance/training/method_quality.cpp
NO_ROWS_SIGMA = 0.3
NORMAL_P90 = 1.2815515655446004
LEAST_SIGMA = 0.2  # kLeastSigma there: users of one stack and chip lie so far apart
RULE_SIGMA = 0.2


def quantile(values, weights, share):
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return values[order][np.searchsorted(total, share * total[-1])]


def family_key(bench, i):
    row = bench.rows[i]
    architecture = bench.architecture[row["accelerator"]]
    return (architecture, row["stack"] or "typical", "moe" if bench.mixture[i] else "dense",
            "pretrain" if row["task"] == "pretrain" else "finetune",
            "known" if row["layout_known"] == "yes" else "planned")


def unions(key):
    a, s, k, t, _ = key
    return {(a, s, k, t), ("any", s, k, t), (a, "any", k, t), ("any", "any", k, t),
            ("any", "any", k, "any"), ("any",) * 4}


class Family:
    def __init__(self, ratio, plain, source):
        total = collections.Counter()
        for w, s in zip(plain, source):
            total[s] += w
        votes = np.array([w / math.sqrt(total[s]) for w, s in zip(plain, source)])
        by_source = np.array(list(total.values())) ** 0.5
        self.rows, self.groups = len(ratio), float(plain.sum())
        self.sources = float(by_source.sum() ** 2 / (by_source**2).sum())
        # From the 68 % quantile: single rows of immature releases must not set the range.
        self.sigma = max(0.03, float(quantile(abs(ratio), votes, 0.68)))
        self.median_error = float(quantile(abs(np.exp(ratio) - 1), plain, 0.5))


class Spreads:
    """Families of the rows that have a prediction; `without` leaves a source out of them too."""

    def __init__(self, bench, predicted, counted):
        self.bench, self.members = bench, collections.defaultdict(list)
        self.ratio = np.log(np.maximum(predicted, 1e-9) / bench.measured)
        self.source = bench.origin
        for i in np.where((predicted > 0) & counted)[0]:
            for key in unions(family_key(bench, i)):
                self.members[key].append(i)

    def family(self, key, without=None):
        index = np.array([i for i in self.members.get(key, []) if self.source[i] != without], int)
        if not len(index):
            return None
        return Family(self.ratio[index], self.bench.plain[index], self.source[index])

    def nearest_sigma(self, i, without=None):
        a, s, k, t, _ = family_key(self.bench, i)
        sigma = None
        for key in [("any",) * 4, ("any", "any", k, "any"), ("any", "any", k, t),
                    (a, "any", k, t), ("any", s, k, t), (a, s, k, t)]:
            found = self.family(key, without)
            if found is None:
                continue
            if sigma is None:
                sigma = found.sigma
                continue
            n = found.sources
            sigma = math.sqrt((n * found.sigma**2 + PRIOR_SOURCES * sigma**2) / (n + PRIOR_SOURCES))
        sigma = max(sigma or NO_ROWS_SIGMA, LEAST_SIGMA)
        if self.bench.rows[i]["accelerator"] not in self.bench.fitted_chips:
            sigma = math.hypot(sigma, RULE_SIGMA)
        return sigma

    def table(self):
        for key in sorted(self.members):
            found = self.family(key)
            yield dict(zip(["architecture", "stack", "model", "task"], key)) | {
                "rows": found.rows, "groups": round(found.groups, 1),
                "sources": round(found.sources, 1), "sigma": round(found.sigma, 4),
                "median_error": round(found.median_error, 4)}

    def left_out(self, predicted):
        """One line per row: its prediction and its spread, its source unseen in both."""
        known = {}
        for members in [self.members[("any",) * 4]]:
            for i in members:
                key = (family_key(self.bench, i)[:4], self.source[i],
                       self.bench.rows[i]["accelerator"])
                if key not in known:
                    known[key] = self.nearest_sigma(i, self.source[i])
                yield {"id": self.bench.rows[i]["id"], "predicted": float(f"{predicted[i]:.5g}"),
                       "sigma": round(known[key], 4)}


def interval_score(ratio, sigma):
    half = NORMAL_P90 * sigma
    return 2 * half + 10 * np.maximum(0, abs(ratio) - half)
