# SPDX-License-Identifier: Apache-2.0
"""Whole-step sections of measure_gpu.py: decoders, LoRA, FSDP on one rank, vision encoders."""

import gc
import statistics
import time

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

import gpu_plan
from gpu_kernels import BACKENDS
from gpu_models import Decoder, MasterAdamW, VisionTransformer, cross_entropy


def free():
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def time_steps(step, target=1.0):
    """Medians of a step and its parts; step(events) queues one step and records its four marks."""
    for _ in range(2):
        step([torch.cuda.Event(enable_timing=True) for _ in range(4)])
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    begun = time.perf_counter()
    step([torch.cuda.Event(enable_timing=True) for _ in range(4)])
    torch.cuda.synchronize()
    count = max(4, min(20, int(target / (time.perf_counter() - begun))))
    marks, queued = [], time.perf_counter()
    for _ in range(count):
        marks.append([torch.cuda.Event(enable_timing=True) for _ in range(4)])
        step(marks[-1])
    queued = time.perf_counter() - queued
    torch.cuda.synchronize()
    parts = [statistics.median(m[i].elapsed_time(m[i + 1]) for m in marks) / 1e3 for i in range(3)]
    whole = [a[0].elapsed_time(b[0]) / 1e3 for a, b in zip(marks, marks[1:])]
    return {
        "step_seconds": statistics.median(whole),
        "forward_seconds": parts[0],
        "backward_seconds": parts[1],
        "optimizer_seconds": parts[2],
        "host_seconds": queued / count,
        "steps_timed": count,
        "spread": (max(whole) - min(whole)) / statistics.median(whole),
        "peak_bytes": torch.cuda.max_memory_allocated(),
        "reserved_bytes": torch.cuda.max_memory_reserved(),
    }


def build(shape, variant, task):
    with torch.device("cuda"):
        if variant == "hf":
            model = hugging_face(shape)
        elif variant.startswith("fsdp"):
            model = Decoder(shape)
        else:
            previous = torch.get_default_dtype()
            torch.set_default_dtype(torch.bfloat16)
            model = Decoder(shape, task == "lora")
            torch.set_default_dtype(previous)
    if variant.startswith("fsdp"):
        optimizer = shard(model)
    else:
        optimizer = MasterAdamW(model.parameters())
    return model, optimizer


def shard(model):
    """FSDP2 over one rank: fp32 parameters gathered in bf16, gradients reduced in fp32."""
    import torch.distributed as dist
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    if not dist.is_initialized():
        torch.cuda.set_device(0)
        dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    mesh = dist.device_mesh.init_device_mesh("cuda", (1,))
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for block in model.blocks:
        fully_shard(block, mesh=mesh, mp_policy=policy)
    fully_shard(model, mesh=mesh, mp_policy=policy)
    return torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.blocks = []

    def forward(self, tokens, targets):
        return self.inner(input_ids=tokens, labels=targets, use_cache=False).loss


def hugging_face(shape):
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=shape.vocab,
        hidden_size=shape.hidden,
        intermediate_size=shape.ffn,
        head_dim=shape.dim,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        max_position_embeddings=16384,
        tie_word_embeddings=shape.tied,
        attn_implementation="sdpa",
    )
    return Wrapped(LlamaForCausalLM(config).to(torch.bfloat16).train())


def configure(model, step):
    if step.variant == "hf":
        if step.recompute:
            model.inner.gradient_checkpointing_enable({"use_reentrant": False})
        else:
            model.inner.gradient_checkpointing_disable()
    for block in model.blocks:
        block.recompute = step.recompute
    if step.variant.endswith("compiled"):
        torch._dynamo.reset()
        for block in model.blocks:
            block.compile(dynamic=False)
        model.loss = torch.compile(cross_entropy, dynamic=False)


def run_step(model, optimizer, step):
    free()
    configure(model, step)
    vocab = gpu_plan.SHAPES[step.shape].vocab
    tokens = torch.randint(vocab, (step.batch, step.seq), device="cuda")
    trained = [p for p in model.parameters() if p.requires_grad]

    def once(events):
        events[0].record()
        loss = model(tokens, tokens)
        events[1].record()
        loss.backward()
        events[2].record()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        if not isinstance(optimizer, MasterAdamW):
            optimizer.zero_grad(set_to_none=True)
        events[3].record()

    with sdpa_kernel(BACKENDS[step.attention]):
        return time_steps(once)


def run_section(section, record, clock, tiny):
    held, model, optimizer = None, None, None
    for step in gpu_plan.step_plan(section, tiny):
        if clock.over(section):
            break
        if held != (step.shape, step.variant, step.task):
            model = optimizer = None
            free()
            held = (step.shape, step.variant, step.task)
            model, optimizer = build(gpu_plan.SHAPES[step.shape], step.variant, step.task)
        tags = dict(
            shape=step.shape,
            seq=step.seq,
            batch=step.batch,
            recompute=step.recompute,
            variant=step.variant,
            task=step.task,
            attention=step.attention,
        )
        record("steps", **tags, result=lambda: run_step(model, optimizer, step))
        for p in model.parameters():
            p.grad = None
    model = optimizer = None
    free()


def floor(record, clock, tiny):
    """Steps of decoders too small to load the device: the difference is a layer's host time."""
    for variant in ["eager", "fsdp", "compiled", "fsdp-compiled"]:
        for recompute in (False,) if variant.endswith("compiled") else (False, True):
            for name in ("tiny-8", "tiny-24"):
                if clock.over("floor"):
                    return
                step = gpu_plan.Step(name, 32, 1, recompute, variant)

                def result():
                    model, optimizer = build(gpu_plan.SHAPES[name], variant, "pretrain")
                    return run_step(model, optimizer, step)

                record(
                    "steps",
                    shape=name,
                    seq=32,
                    batch=1,
                    recompute=recompute,
                    variant=variant,
                    task="pretrain",
                    attention="flash",
                    result=result,
                )
    free()


def encoders(record, clock, tiny):
    held, model, optimizer = None, None, None
    for name, batch, task, compiled in gpu_plan.encoder_plan(tiny):
        if clock.over("encoders"):
            break
        if held != name or compiled:
            model = optimizer = None
            free()
            held = name
            torch.set_default_dtype(torch.bfloat16)
            with torch.device("cuda"):
                model = VisionTransformer(gpu_plan.ENCODERS[name])
            torch.set_default_dtype(torch.float32)
            optimizer = MasterAdamW(model.parameters())
        record(
            "encoders",
            encoder=name,
            batch=batch,
            task=task,
            compiled=compiled,
            result=lambda: run_encoder(model, optimizer, name, batch, task, compiled),
        )
        if compiled:
            held = None
    free()


def run_encoder(model, optimizer, name, batch, task, compiled):
    free()
    size = gpu_plan.ENCODERS[name].image
    images = torch.randn(batch, 3, size, size, device="cuda", dtype=torch.bfloat16)
    if compiled:
        torch._dynamo.reset()
        for block in model.blocks:
            block.compile(dynamic=False)

    def once(events):
        events[0].record()
        if task == "frozen":
            with torch.no_grad():
                model(images)
            events[1].record()
            events[2].record()
        else:
            loss = model(images).float().square().mean()
            events[1].record()
            loss.backward()
            events[2].record()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        events[3].record()

    with sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
        return time_steps(once, 0.6)
