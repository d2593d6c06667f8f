# SPDX-License-Identifier: Apache-2.0
"""Element-wise, optimizer, launch and single-layer sections of measure_gpu.py."""

import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from gpu_kernels import graph_seconds, loop_seconds
from gpu_models import Block, MasterAdamW, cross_entropy, rotate


def elementwise_ops(t, h, f, heads, dim):
    def make(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16, requires_grad=True)

    x, r, u, g, q = make(t, h), make(t, h), make(t, f), make(t, f), make(1, heads, t, dim)
    w, bias = make(h), make(h)
    cos, sin = (torch.randn(t, dim, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    # name, function, inputs, elements per token read + written forward if perfectly fused
    return [
        ("rms_norm", lambda x, w: F.rms_norm(x, (h,), w), (x, w), 2 * h),
        ("layer_norm", lambda x, w, bias: F.layer_norm(x, (h,), w, bias), (x, w, bias), 2 * h),
        ("residual", lambda x, r: x + r, (x, r), 3 * h),
        ("swiglu", lambda g, u: F.silu(g) * u, (g, u), 3 * f),
        ("gelu", lambda u: F.gelu(u, approximate="tanh"), (u,), 2 * f),
        ("rope", lambda q: rotate(q, cos, sin), (q,), 2 * heads * dim),
    ]


def elementwise(record, clock, tiny):
    shapes = (
        [(1024, 256, 512, 4, 64)]
        if tiny
        else [(8192, 1024, 2816, 16, 64), (8192, 4096, 14336, 32, 128)]
    )
    for t, h, f, heads, dim in shapes:
        for name, fn, inputs, elements in elementwise_ops(t, h, f, heads, dim):
            for compiled in (False, True) if h != 1024 else (False,):
                if clock.over("elementwise"):
                    return
                torch._dynamo.reset()
                call = torch.compile(fn, dynamic=False) if compiled else fn
                tags = dict(
                    kind="elementwise",
                    op=name,
                    compiled=compiled,
                    tokens=t,
                    hidden=h,
                    ffn=f,
                    precision="bf16",
                    fused_forward_bytes=2.0 * elements * t,
                )

                def both():
                    out = call(*inputs)
                    return torch.autograd.grad(out, inputs, out)

                def forward():
                    with torch.no_grad():
                        return call(*inputs)

                record(
                    "kernels",
                    direction="forward",
                    seconds=lambda: loop_seconds(forward, 0.02),
                    **tags
                )
                record(
                    "kernels", direction="both", seconds=lambda: loop_seconds(both, 0.02), **tags
                )
    losses_and_optimizers(record, tiny)


def losses_and_optimizers(record, tiny):
    for vocab in [1000] if tiny else [32000, 128256]:
        for compiled in (False, True):
            torch._dynamo.reset()
            t = 512 if tiny else 4096
            logits = torch.randn(
                1, t, vocab, device="cuda", dtype=torch.bfloat16, requires_grad=True
            )
            targets = torch.randint(vocab, (1, t), device="cuda")
            call = torch.compile(cross_entropy, dynamic=False) if compiled else cross_entropy
            record(
                "kernels",
                kind="elementwise",
                op="cross_entropy",
                direction="both",
                compiled=compiled,
                tokens=t,
                vocab=vocab,
                precision="bf16",
                seconds=lambda: loop_seconds(
                    lambda: torch.autograd.grad(call(logits, targets), logits), 0.03
                ),
            )
    for count in [1] if tiny else [4, 32]:
        parameters = [
            torch.nn.Parameter(torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16))
            for _ in range(count)
        ]
        grads = [torch.randn_like(p) for p in parameters]
        optimizer = MasterAdamW(parameters)

        def step():
            for p, g in zip(parameters, grads):
                p.grad = g
            optimizer.step()

        def clip():
            for p, g in zip(parameters, grads):
                p.grad = g
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)

        n = count * 4096 * 4096
        record(
            "kernels",
            kind="optimizer",
            op="adamw-fp32-master",
            parameters=n,
            seconds=lambda: loop_seconds(step),
        )
        record(
            "kernels",
            kind="optimizer",
            op="clip_grad_norm",
            parameters=n,
            seconds=lambda: loop_seconds(clip),
        )


def host_seconds(fn, count):
    """(host seconds per call while queueing, wall seconds per call until the device is done)."""
    fn()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        fn()
    queued = time.perf_counter() - start
    torch.cuda.synchronize()
    return queued / count, (time.perf_counter() - start) / count


def launch(record, clock, tiny):
    count = 200 if tiny else 2000
    x = torch.zeros(16, device="cuda")
    w = torch.randn(16, 16, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    y = torch.randn(16, 16, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    cases = [
        ("empty_kernel", lambda: torch.cuda._sleep(0)),
        ("add_", lambda: x.add_(1)),
        ("mm", lambda: torch.mm(w, y)),
        ("gelu_autograd_forward", lambda: F.gelu(y)),
        ("gelu_autograd_both", lambda: torch.autograd.grad(F.gelu(y), y, y)),
    ]
    for name, fn in cases:
        queued, wall = host_seconds(fn, count)
        record("kernels", kind="launch", op=name, host_seconds=queued, seconds=wall)
    record(
        "kernels",
        kind="launch",
        op="add_ in a CUDA graph",
        seconds=lambda: graph_seconds([lambda: x.add_(1)]),
    )
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.add_(1)
    queued, wall = host_seconds(graph.replay, count)
    record(
        "kernels",
        kind="launch",
        op="replay of a one-kernel graph",
        host_seconds=queued,
        seconds=wall,
    )


def layer(record, clock, tiny):
    """One Llama block, eager and compiled: what a layer costs beyond its GEMMs."""
    cases = (
        [(256, 2, 2, 128, 512, 1, 512)]
        if tiny
        else [
            (1024, 16, 16, 64, 2816, 4, 2048),
            (2048, 16, 16, 128, 5632, 4, 2048),
            (4096, 32, 8, 128, 14336, 4, 2048),
            (4096, 32, 8, 128, 14336, 1, 2048),
        ]
    )
    for h, heads, kv, dim, f, b, s in cases:
        for compiled in (False, True):
            if clock.over("layer"):
                return
            torch._dynamo.reset()
            with torch.device("cuda"):
                block = Block(h, heads, kv, dim, f, True, True, True, True).bfloat16()
            x = torch.randn(b, s, h, device="cuda", dtype=torch.bfloat16, requires_grad=True)
            cos, sin = (torch.randn(s, dim, device="cuda", dtype=torch.bfloat16) for _ in range(2))
            if compiled:
                block.compile(dynamic=False)
            grads = [x, *block.parameters()]

            def both():
                out = block(x, cos, sin)
                return torch.autograd.grad(out, grads, out)

            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                tags = dict(
                    kind="layer",
                    compiled=compiled,
                    hidden=h,
                    heads=heads,
                    kv_heads=kv,
                    head_dim=dim,
                    ffn=f,
                    batch=b,
                    length=s,
                    precision="bf16",
                )
                record(
                    "kernels", direction="both", seconds=lambda: loop_seconds(both, 0.15), **tags
                )
                record(
                    "kernels",
                    direction="forward",
                    seconds=lambda: loop_seconds(lambda: block(x, cos, sin), 0.05),
                    **tags
                )
