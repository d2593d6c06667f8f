# SPDX-License-Identifier: Apache-2.0
"""The PyTorch models of measure_gpu.py: decoder, vision transformer, LoRA, AdamW with masters."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class LoraLinear(nn.Module):
    """A frozen linear layer plus a trained rank-16 product."""

    def __init__(self, fan_in, fan_out, rank=16):
        super().__init__()
        self.weight = nn.Parameter(
            torch.empty(fan_out, fan_in).normal_(std=0.02), requires_grad=False
        )
        self.down = nn.Parameter(torch.empty(rank, fan_in).normal_(std=0.02))
        self.up = nn.Parameter(torch.zeros(fan_out, rank))

    def forward(self, x):
        return F.linear(x, self.weight) + F.linear(F.linear(x, self.down), self.up) * 2.0


def linear(fan_in, fan_out, bias=False, lora=False):
    if lora:
        return LoraLinear(fan_in, fan_out)
    layer = nn.Linear(fan_in, fan_out, bias=bias)
    nn.init.normal_(layer.weight, std=0.02)
    return layer


def rotate(x, cos, sin):
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), dim=-1) * sin


class Block(nn.Module):
    """Pre-norm attention and MLP: gated with rope (Llama) or plain with LayerNorm (GPT, ViT)."""

    def __init__(self, h, heads, kv, dim, ffn, gated, rms, causal, rope, bias=False, lora=False):
        super().__init__()
        self.heads, self.kv, self.dim, self.gated = heads, kv, dim, gated
        self.causal, self.rope, self.recompute = causal, rope, False
        norm = nn.RMSNorm if rms else nn.LayerNorm
        self.norm1, self.norm2 = norm(h), norm(h)
        self.q, self.k = linear(h, heads * dim, bias, lora), linear(h, kv * dim, bias, lora)
        self.v, self.o = linear(h, kv * dim, bias, lora), linear(heads * dim, h, bias, lora)
        self.up, self.down = linear(h, ffn, bias, lora), linear(ffn, h, bias, lora)
        if gated:
            self.gate = linear(h, ffn, bias, lora)

    def inner(self, x, cos, sin):
        b, s, _ = x.shape
        y = self.norm1(x)
        q = self.q(y).view(b, s, self.heads, self.dim).transpose(1, 2)
        k = self.k(y).view(b, s, self.kv, self.dim).transpose(1, 2)
        v = self.v(y).view(b, s, self.kv, self.dim).transpose(1, 2)
        if self.rope:
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        gqa = {"enable_gqa": True} if self.kv != self.heads else {}
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, **gqa)
        x = x + self.o(y.transpose(1, 2).reshape(b, s, self.heads * self.dim))
        y = self.norm2(x)
        y = (
            F.silu(self.gate(y)) * self.up(y)
            if self.gated
            else F.gelu(self.up(y), approximate="tanh")
        )
        return x + self.down(y)

    def forward(self, x, cos, sin):
        if self.recompute:
            return checkpoint(self.inner, x, cos, sin, use_reentrant=False)
        return self.inner(x, cos, sin)


class Decoder(nn.Module):
    def __init__(self, shape, lora=False):
        super().__init__()
        self.shape = shape
        h = shape.hidden
        rope = not shape.learned_positions
        self.embed = nn.Embedding(shape.vocab, h)
        nn.init.normal_(self.embed.weight, std=0.02)
        if not rope:
            self.positions = nn.Parameter(torch.empty(shape.learned_positions, h).normal_(std=0.02))
        self.blocks = nn.ModuleList(
            Block(
                h,
                shape.heads,
                shape.kv_heads,
                shape.dim,
                shape.ffn,
                shape.mlp == "gated",
                shape.norm == "rms",
                True,
                rope,
                lora=lora,
            )
            for _ in range(shape.layers)
        )
        self.norm = (nn.RMSNorm if shape.norm == "rms" else nn.LayerNorm)(h)
        self.head = linear(h, shape.vocab)
        if shape.tied:
            self.head.weight = self.embed.weight
        if lora:
            for name, p in self.named_parameters():
                p.requires_grad_(name.endswith(("down", "up")))
        self.loss = cross_entropy
        self.cache = {}

    def angles(self, s, device):
        if s not in self.cache:
            half = torch.arange(0, self.shape.dim, 2, device=device) / self.shape.dim
            angle = torch.outer(torch.arange(s, device=device), 500000.0**-half)
            angle = torch.cat((angle, angle), dim=-1)
            self.cache = {s: (angle.cos().bfloat16(), angle.sin().bfloat16())}
        return self.cache[s]

    def forward(self, tokens, targets):
        cos, sin = self.angles(tokens.shape[1], tokens.device)
        x = self.embed(tokens)
        if self.shape.learned_positions:
            x = x + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.loss(self.head(self.norm(x)), targets)


def cross_entropy(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


class VisionTransformer(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        h = encoder.hidden
        self.patches = nn.Conv2d(3, h, encoder.patch, encoder.patch, bias=not encoder.class_token)
        self.first = nn.Parameter(torch.zeros(1, 1, h)) if encoder.class_token else None
        self.positions = nn.Parameter(torch.empty(encoder.tokens, h).normal_(std=0.02))
        self.before = nn.LayerNorm(h) if encoder.class_token else nn.Identity()
        self.blocks = nn.ModuleList(
            Block(
                h,
                encoder.heads,
                encoder.heads,
                h // encoder.heads,
                encoder.ffn,
                False,
                False,
                False,
                False,
                True,
            )
            for _ in range(encoder.layers)
        )
        self.after = nn.LayerNorm(h)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        if self.first is not None:
            x = torch.cat((self.first.expand(len(x), -1, -1), x), dim=1)
        x = self.before(x + self.positions)
        for block in self.blocks:
            x = block(x, None, None)
        return self.after(x)


class MasterAdamW:
    """Fused AdamW on fp32 masters of bf16 parameters: fp32 gradients live one bucket at a time."""

    def __init__(self, parameters, bucket=200_000_000):
        self.buckets = []
        group, size = [], 0
        for p in [p for p in parameters if p.requires_grad]:
            group.append(p)
            size += p.numel()
            if size >= bucket:
                self.buckets.append(group)
                group, size = [], 0
        if group:
            self.buckets.append(group)
        largest = max(sum(p.numel() for p in g) for g in self.buckets)
        first = self.buckets[0][0]
        self.scratch = torch.empty(largest, dtype=torch.float32, device=first.device)
        self.state = [self._prepare(g) for g in self.buckets]

    def _prepare(self, group):
        masters, offset = [], 0
        for p in group:
            master = nn.Parameter(p.detach().float())
            master.grad = self.scratch[offset : offset + p.numel()].view_as(master)
            offset += p.numel()
            masters.append(master)
        fused = masters[0].is_cuda
        return masters, torch.optim.AdamW(masters, lr=1e-5, fused=fused)

    @torch.no_grad()
    def step(self):
        for group, (masters, optimizer) in zip(self.buckets, self.state):
            torch._foreach_copy_([m.grad for m in masters], [p.grad for p in group])
            optimizer.step()
            torch._foreach_copy_([p.data for p in group], masters)
            for p in group:
                p.grad = None
