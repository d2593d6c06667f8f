# SPDX-License-Identifier: Apache-2.0
"""Kernel sections of measure_gpu.py: GEMM, attention, memory streaming."""

import statistics
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import gpu_plan

L2_BYTES = 50e6
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}


def event_seconds(fn, count):
    """Mean device seconds of one of count calls in a row."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(count):
        fn()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3 / count


def graph_seconds(fns, target=0.010, replays=3):
    """Median device seconds of a call; a CUDA graph that cycles through fns hides the launches."""
    for fn in fns[:2]:
        fn()
    torch.cuda.synchronize()
    once = event_seconds(fns[0], 2)
    reps = max(2, min(200, int(target / max(once, 1e-6))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(reps):
            fns[i % len(fns)]()
    graph.replay()
    return statistics.median(event_seconds(graph.replay, 1) for _ in range(replays)) / reps


def loop_seconds(fn, target=0.05, repeats=3):
    """Median over repeats of the mean device seconds of calls in a row (launches not hidden)."""
    fn()
    torch.cuda.synchronize()
    once = event_seconds(fn, 2)
    count = max(3, min(100, int(target / max(once, 1e-6))))
    return statistics.median(event_seconds(fn, count) for _ in range(repeats))


class Pools:
    """Normal random operands that every GEMM cuts its matrices from."""

    def __init__(self, elements):
        self.bf16 = [torch.randn(elements, device="cuda", dtype=torch.bfloat16) for _ in range(2)]
        self.out = torch.empty(elements, device="cuda", dtype=torch.bfloat16)
        self.elements = elements

    def operand(self, which, dtype, rows, cols, index):
        size = rows * cols
        slots = max(1, self.elements // size)
        flat = self.bf16[which][(index % slots) * size : (index % slots + 1) * size]
        return flat.view(rows, cols) if dtype is torch.bfloat16 else flat.to(dtype).view(rows, cols)


def gemm_call(pools, orientation, precision, m, n, k, index):
    dtype = {
        "bf16": torch.bfloat16,
        "fp16": torch.float16,
        "tf32": torch.float32,
        "fp8": torch.float8_e4m3fn,
    }[precision]
    a_shape = (k, m) if orientation == "tn" else (m, k)
    b_shape = (n, k) if orientation == "nt" else (k, n)
    a = pools.operand(0, dtype, *a_shape, index)
    b = pools.operand(1, dtype, *b_shape, index)
    a, b = (a.t() if orientation == "tn" else a), (b.t() if orientation == "nt" else b)
    if precision == "fp8":
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(
            a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True
        )
    if precision == "bf16":
        out = pools.out[: m * n].view(m, n)
        return lambda: torch.mm(a, b, out=out)
    return lambda: torch.mm(a, b)


def gemm(record, clock, tiny):
    torch.backends.cuda.matmul.allow_tf32 = True
    pools = Pools(16_000_000 if tiny else 2_200_000_000)
    width = {"bf16": 2, "fp16": 2, "tf32": 4, "fp8": 1}
    for kind, orientation, precision, m, n, k in gpu_plan.gemm_plan(tiny):
        if clock.over("gemm"):
            return
        footprint = (m * k + k * n) * width[precision] + m * n * 2
        copies = max(1, min(6, int(3 * L2_BYTES / footprint) + 1))
        fns = [gemm_call(pools, orientation, precision, m, n, k, i) for i in range(copies)]
        record(
            "kernels",
            kind="gemm",
            use=kind,
            orientation=orientation,
            precision=precision,
            m=m,
            n=n,
            k=k,
            flops=2.0 * m * n * k,
            seconds=lambda: graph_seconds(fns),
        )


def sustained(record, clock, tiny):
    """Rates held for two seconds, with the clock and power that go with them."""
    pools = Pools(16_000_000 if tiny else 600_000_000)
    shapes = (
        [(1024, 1024, 1024)]
        if tiny
        else [(8192, 8192, 8192), (4096, 14336, 4096), (2048, 2048, 2048)]
    )
    for precision in ["bf16", "fp8"]:
        for m, n, k in shapes:
            fn = gemm_call(pools, "nt", precision, m, n, k, 0)
            first = loop_seconds(fn, 0.02, 1)
            time.sleep(0.5)
            burst = event_seconds(fn, max(3, int(0.02 / first)))
            count = max(10, int((0.2 if tiny else 2.0) / first))
            record(
                "kernels",
                kind="gemm-sustained",
                precision=precision,
                m=m,
                n=n,
                k=k,
                flops=2.0 * m * n * k,
                burst_seconds=burst,
                seconds=lambda: event_seconds(fn, count),
            )


def grouped(record, clock, tiny):
    """Grouped bf16 products of a mixture of experts, tokens split evenly."""
    cases = [(8, 4096, 14336, 4096)] if not tiny else [(4, 256, 256, 1024)]
    cases += (
        []
        if tiny
        else [
            (64, 2048, 1408, 8192),
            (128, 2048, 768, 8192),
            (128, 2048, 768, 65536),
            (32, 7168, 2048, 8192),
            (8, 4096, 14336, 16384),
            (64, 2048, 1408, 65536),
        ]
    )
    for experts, h, f, tokens in cases:
        x = torch.randn(tokens, h, device="cuda", dtype=torch.bfloat16)
        w = (
            torch.randn(experts, h, f, device="cuda", dtype=torch.bfloat16)
            .transpose(1, 2)
            .contiguous()
            .transpose(1, 2)
        )
        ends = torch.arange(1, experts + 1, device="cuda", dtype=torch.int32) * (tokens // experts)
        record(
            "kernels",
            kind="gemm-grouped",
            precision="bf16",
            groups=experts,
            m=tokens,
            n=f,
            k=h,
            flops=2.0 * tokens * h * f,
            seconds=lambda: loop_seconds(lambda: torch._grouped_mm(x, w, offs=ends)),
        )


def attention_case(record, backend, dim, heads, kv, length, batch, causal):
    def tensor(n):
        return torch.randn(
            batch, n, length, dim, device="cuda", dtype=torch.bfloat16, requires_grad=True
        )

    q, k, v = tensor(heads), tensor(kv), tensor(kv)
    gqa = {"enable_gqa": True} if kv != heads else {}
    flops = 4.0 * batch * heads * dim * length * length * (0.5 if causal else 1.0)
    tags = dict(
        kind="attention",
        backend=backend,
        precision="bf16",
        head_dim=dim,
        heads=heads,
        kv_heads=kv,
        length=length,
        batch=batch,
        causal=causal,
    )

    def forward():
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, **gqa)

    def forward_only():
        with torch.no_grad():
            forward()

    with sdpa_kernel(BACKENDS[backend]):
        record(
            "kernels",
            direction="forward",
            flops=flops,
            seconds=lambda: graph_seconds([forward_only]),
            **tags,
        )
        out = forward()
        grad = torch.randn_like(out)
        backward = lambda: torch.autograd.grad(out, (q, k, v), grad, retain_graph=True)
        record(
            "kernels",
            direction="backward",
            flops=2.5 * flops,
            seconds=lambda: loop_seconds(backward, 0.02),
            **tags,
        )


def materialised(record, tiny):
    """Attention written out: scores, mask, softmax and weighting as separate kernels."""
    for length, batch in [(512, 2)] if tiny else [(1024, 8), (2048, 4), (4096, 2)]:
        heads, dim = 16, 128
        q, k, v = (
            torch.randn(
                batch, heads, length, dim, device="cuda", dtype=torch.bfloat16, requires_grad=True
            )
            for _ in range(3)
        )
        mask = torch.full(
            (length, length), float("-inf"), device="cuda", dtype=torch.bfloat16
        ).triu(1)
        forward = lambda: torch.softmax(q @ k.transpose(2, 3) * dim**-0.5 + mask, dim=-1) @ v
        tags = dict(
            kind="attention",
            backend="materialised",
            precision="bf16",
            head_dim=dim,
            heads=heads,
            kv_heads=heads,
            length=length,
            batch=batch,
            causal=True,
        )
        flops = 4.0 * batch * heads * dim * length * length
        record(
            "kernels",
            direction="forward",
            flops=flops,
            seconds=lambda: loop_seconds(forward),
            **tags,
        )
        out = forward()
        grad = torch.randn_like(out)
        backward = lambda: torch.autograd.grad(out, (q, k, v), grad, retain_graph=True)
        record(
            "kernels",
            direction="backward",
            flops=2 * flops,
            seconds=lambda: loop_seconds(backward),
            **tags,
        )


def attention(record, clock, tiny):
    for case in gpu_plan.attention_plan(tiny):
        for backend in BACKENDS:
            if clock.over("attention"):
                return
            record.guard("attention", backend, case, lambda: attention_case(record, backend, *case))
    materialised(record, tiny)


def memory(record, clock, tiny):
    sizes = [2**22] if tiny else [2**20, 2**22, 2**24, 2**26, 2**28, 2**30]
    for n in sizes:
        a, b, c = (torch.randn(n, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        tags = dict(kind="memory", elements=n, element_bytes=2)
        record(
            "kernels",
            op="copy",
            bytes=4.0 * n,
            seconds=lambda: graph_seconds([lambda: b.copy_(a)]),
            **tags,
        )
        record(
            "kernels",
            op="triad",
            bytes=6.0 * n,
            seconds=lambda: graph_seconds([lambda: torch.add(a, b, alpha=3.0, out=c)]),
            **tags,
        )
        record(
            "kernels",
            op="sum",
            bytes=2.0 * n,
            seconds=lambda: graph_seconds([lambda: a.sum()]),
            **tags,
        )
