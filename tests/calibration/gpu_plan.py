# SPDX-License-Identifier: Apache-2.0
"""What measure_gpu.py measures: model shapes, GEMMs, steps. Standard library only."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Shape:
    """A decoder, in the words of a model file (hidden sizes in elements)."""

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    ffn: int
    vocab: int
    mlp: str = "gated"
    norm: str = "rms"
    tied: bool = False
    head_dim: int = 0
    learned_positions: int = 0

    @property
    def dim(self):
        return self.head_dim or self.hidden // self.heads


@dataclasses.dataclass(frozen=True)
class Encoder:
    """A vision transformer: tokens counts what the blocks see, class token included."""

    name: str
    layers: int
    hidden: int
    heads: int
    ffn: int
    patch: int
    image: int
    tokens: int
    class_token: bool


@dataclasses.dataclass(frozen=True)
class Step:
    """One whole training step to time; variant is eager, compiled, fsdp, fsdp-compiled or hf."""

    shape: str
    seq: int
    batch: int
    recompute: bool = False
    variant: str = "eager"
    task: str = "pretrain"
    attention: str = "flash"


SHAPES = {
    s.name: s
    for s in [
        Shape("decoder-0.1b-measured", 12, 768, 12, 12, 2048, 32000),
        Shape("decoder-0.35b-measured", 24, 1024, 16, 16, 2816, 32000),
        Shape("decoder-1b-measured", 22, 2048, 16, 16, 5632, 32000),
        Shape("decoder-1b-v128k-measured", 16, 2048, 32, 8, 8192, 128256, tied=True, head_dim=64),
        Shape("decoder-3b-measured", 32, 2560, 20, 20, 6912, 32000),
        Shape("decoder-8b-width-8-layers-measured", 8, 4096, 32, 8, 14336, 32000),
        Shape("decoder-8b-measured", 32, 4096, 32, 8, 14336, 128256),
        Shape("gpt-125m-measured", 12, 768, 12, 12, 3072, 50368, "plain", "layer", True, 0, 2048),
        Shape("gpt-350m-measured", 24, 1024, 16, 16, 4096, 50368, "plain", "layer", True, 0, 2048),
        Shape("gpt-1b-measured", 24, 2048, 16, 16, 8192, 50368, "plain", "layer", True, 0, 2048),
        Shape("tiny-8", 8, 64, 2, 2, 128, 256),
        Shape("tiny-24", 24, 64, 2, 2, 128, 256),
    ]
}

ENCODERS = {
    e.name: e
    for e in [
        Encoder("clip-vit-l-14-336", 24, 1024, 16, 4096, 14, 336, 577, True),
        Encoder("siglip-so400m-14-384", 27, 1152, 16, 4304, 14, 384, 729, False),
    ]
}


def parameters(shape):
    """Parameter count of a decoder without biases (model.md 1.1)."""
    h, d = shape.hidden, shape.dim
    attention = 2 * h * shape.heads * d + 2 * h * shape.kv_heads * d
    mlp = (3 if shape.mlp == "gated" else 2) * h * shape.ffn
    norm = h if shape.norm == "rms" else 2 * h
    embeddings = shape.vocab * h * (1 if shape.tied else 2) + shape.learned_positions * h
    return shape.layers * (attention + mlp + 2 * norm) + norm + embeddings


def model_flops_per_token(shape, seq, trained_share=1.0):
    """FLOP of forward and backward per token, attention's causal half.

    A forward is 2 x matmul parameters + 2 L a d s (model.md 2.2). trained_share 1 counts weight
    gradients (3 x the forward's matmuls), 0 does not (2 x: a frozen base under LoRA).
    """
    h, d = shape.hidden, shape.dim
    per_layer = 2 * h * shape.heads * d + 2 * h * shape.kv_heads * d
    per_layer += (3 if shape.mlp == "gated" else 2) * h * shape.ffn
    matmul = 2 * (shape.layers * per_layer + h * shape.vocab)
    attention = 2 * shape.layers * shape.heads * d * seq
    return matmul * (2 + trained_share) + attention * 3


def model_file(shape, note):
    """The decoder as a model file's dictionary."""
    language = {
        "layers": shape.layers,
        "hidden": shape.hidden,
        "heads": shape.heads,
        "kv_heads": shape.kv_heads,
        "head_dim": shape.dim,
        "ffn": shape.ffn,
        "mlp": shape.mlp,
        "vocab": shape.vocab,
        "tied_embeddings": shape.tied,
        "norm": shape.norm,
        "biases": "none",
        "learned_positions": shape.learned_positions,
    }
    return {"schema_version": "1.0", "name": shape.name, "source": note, "language": language}


SQUARES = [512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384]
# hidden -> (columns of the fused qkv product, ffn)
WIDTHS = {
    768: (2304, 2048),
    1024: (3072, 2816),
    2048: (3072, 8192),
    4096: (6144, 14336),
    8192: (10240, 28672),
}
TOKENS = [1024, 2048, 4096, 8192, 16384, 32768]


def gemm_plan(tiny=False):
    """(name, orientation, precision, M, N, K) of each product; nt forward, nn dgrad, tn wgrad."""
    rows = []
    squares = SQUARES[:2] if tiny else SQUARES
    for precision in ["bf16", "fp16", "tf32", "fp8"]:
        for n in squares:
            rows.append(("square", "nt", precision, n, n, n))
    for n in squares:
        rows.append(("square", "nn", "bf16", n, n, n))
        rows.append(("square", "tn", "bf16", n, n, n))
    widths = {768: WIDTHS[768]} if tiny else WIDTHS
    tokens = TOKENS[:1] if tiny else TOKENS
    for h, (qkv, ffn) in widths.items():
        linears = [
            ("qkv", qkv, h),
            ("out", h, h),
            ("up", ffn, h),
            ("down", h, ffn),
            ("vocab", 32000, h),
        ]
        if h in (1024, 4096):
            linears.append(("vocab", 128256, h))
        for kind, n, k in linears:
            for m in tokens:
                if m * n > 2_200_000_000:
                    continue
                rows.append((kind, "nt", "bf16", m, n, k))
                if m in (2048, 8192, 32768) or tiny:
                    rows.append((kind, "nn", "bf16", m, k, n))
                    rows.append((kind, "tn", "bf16", n, k, m))
                if h >= 2048 and kind in ("qkv", "up", "down") and m in (1024, 4096, 16384):
                    rows.append((kind, "nt", "fp8", m, n, k))
    return rows


def attention_plan(tiny=False):
    """(head_dim, heads, kv_heads, length, batch, causal): about 16k tokens, hidden 2048."""
    lengths = [512] if tiny else [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
    rows = []
    for causal in (True, False):
        for dim, heads in ((64, 32), (128, 16)):
            for length in lengths:
                if not causal and length > 16384:
                    continue
                rows.append((dim, heads, heads, length, max(1, 16384 // length), causal))
    rows.append((128, 32, 8, 512 if tiny else 4096, 4, True))
    rows.append((72, 16, 16, 729, 16, False))
    rows.append((64, 16, 16, 577, 16, False))
    return rows


# section -> rows of (model, recompute, options, "batch x length" list)
_SMALL, _MID, _LARGE = "decoder-0.1b-measured", "decoder-0.35b-measured", "decoder-1b-measured"
_VOCAB, _THREE, _WIDE = (
    "decoder-1b-v128k-measured",
    "decoder-3b-measured",
    "decoder-8b-width-8-layers-measured",
)
_EIGHT = "decoder-8b-measured"
_CUDNN, _LORA = {"attention": "cudnn"}, {"task": "lora"}
STEPS = {
    "eager": [
        (
            _LARGE,
            False,
            {},
            "1x1024 4x1024 8x1024 1x2048 2x2048 4x2048 8x2048 "
            "1x4096 2x4096 4x4096 1x8192 2x8192 1x16384",
        ),
        (_LARGE, True, {}, "4x2048 8x2048 1x4096 4x4096 2x8192 1x16384"),
        (_LARGE, False, _CUDNN, "4x2048 2x8192"),
        (
            _MID,
            False,
            {},
            "1x1024 4x1024 8x1024 1x2048 2x2048 4x2048 8x2048 1x4096 4x4096 1x8192 2x8192 1x16384",
        ),
        (_MID, True, {}, "8x1024 8x2048 16x2048 4x4096 1x16384"),
        (
            _SMALL,
            False,
            {},
            "1x1024 4x1024 8x1024 1x2048 4x2048 8x2048 16x2048 1x4096 4x4096 1x8192 2x8192 1x16384",
        ),
        (_SMALL, True, {}, "8x2048 32x2048 4x4096 1x16384"),
        (_WIDE, False, {}, "1x1024 4x1024 1x2048 2x2048 4x2048 1x4096 2x4096 1x8192"),
        (_WIDE, True, {}, "4x2048 2x4096 4x4096 2x8192 1x16384"),
        (_THREE, False, {}, "1x1024 2x1024 1x2048 2x2048 1x4096"),
        (_THREE, True, {}, "4x1024 1x2048 4x2048 2x4096 1x8192"),
        (_VOCAB, False, {}, "4x1024 1x2048 4x2048 1x4096 2x4096 1x8192"),
        (_VOCAB, True, {}, "4x2048 2x4096 2x8192"),
        ("gpt-125m-measured", False, {}, "1x2048 8x2048 16x2048"),
        ("gpt-350m-measured", False, {}, "1x2048 8x2048"),
        ("gpt-350m-measured", True, {}, "16x2048"),
        ("gpt-1b-measured", False, {}, "1x2048 4x2048"),
        ("gpt-1b-measured", True, {}, "8x2048"),
    ],
    "compiled": [
        (_LARGE, False, {}, "4x2048 2x4096 1x8192 1x1024"),
        (_LARGE, True, {}, "4x4096 1x16384"),
        (_MID, False, {}, "1x1024 8x2048"),
        (_MID, True, {}, "1x16384"),
        (_SMALL, False, {}, "8x2048 1x1024"),
        (_WIDE, False, {}, "2x2048 2x4096"),
        (_WIDE, True, {}, "2x8192"),
        (_THREE, False, {}, "2x2048"),
        (_THREE, True, {}, "4x2048"),
        (_VOCAB, False, {}, "2x4096"),
    ],
    "fsdp": [
        (_LARGE, False, {}, "1x2048 4x2048 2x4096"),
        (_LARGE, True, {}, "4x4096"),
        (_MID, False, {}, "1x1024 8x2048"),
        (_SMALL, False, {}, "1x1024 8x2048 16x2048"),
        ("gpt-125m-measured", False, {}, "16x2048"),
        ("gpt-350m-measured", False, {}, "8x2048"),
        ("gpt-1b-measured", False, {}, "4x2048"),
        (_WIDE, False, {}, "1x4096"),
    ],
    "fsdp-compiled": [(_LARGE, False, {}, "4x2048"), (_MID, False, {}, "8x2048")],
    "lora": [
        (_EIGHT, False, _LORA, "1x1024 4x1024 1x2048 2x2048 1x4096"),
        (_EIGHT, True, _LORA, "4x2048 1x4096 2x4096 1x8192"),
        (_LARGE, False, _LORA, "1x1024 4x1024 4x2048 4x4096"),
        (_LARGE, True, _LORA, "4x4096"),
        (_THREE, False, _LORA, "2x1024 2x2048 2x4096"),
        (_THREE, True, _LORA, "4x4096"),
    ],
    "hf": [
        (_LARGE, False, {}, "1x2048 4x2048"),
        (_LARGE, True, {}, "4x2048 2x4096"),
        (_MID, False, {}, "4x2048"),
        (_WIDE, True, {}, "2x2048"),
    ],
}


def step_plan(section, tiny=False):
    """The steps of one section; models stand together so that each is built once."""
    variant = "eager" if section == "lora" else section
    rows = STEPS[section]
    if tiny:
        options = rows[0][2]
        rows = [(_SMALL, False, options, "1x1024"), (_SMALL, True, options, "1x1024")]
    steps = []
    for shape, recompute, options, cells in rows:
        for cell in cells.split():
            batch, seq = cell.split("x")
            steps.append(Step(shape, int(seq), int(batch), recompute, variant, **options))
    return steps


def encoder_plan(tiny=False):
    """(encoder, batch, task, compiled): task is frozen (forward only) or train (a whole step)."""
    rows = []
    for name in ENCODERS:
        frozen = [2] if tiny else [1, 8, 32, 64, 128]
        train = [2] if tiny else [8, 32, 48]
        rows += [(name, b, "frozen", False) for b in frozen] + [
            (name, b, "train", False) for b in train
        ]
        if not tiny:
            rows += [(name, 64, "frozen", True), (name, 32, "train", True)]
    return rows
