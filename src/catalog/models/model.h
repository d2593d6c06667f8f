// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantity/choice.h"
#include "quantity/layers.h"

namespace trcost::catalog {

enum class Mlp : std::uint8_t { gated, plain };       ///< SwiGLU/GEGLU: 3 matrices; GELU: 2
enum class Norm : std::uint8_t { rms, layer };        ///< 1 or 2 vectors per norm
enum class Biases : std::uint8_t { none, qkv, all };  ///< which linear layers carry a bias

inline constexpr Choice<Mlp> kMlps[] = {{"gated", Mlp::gated}, {"plain", Mlp::plain}};
inline constexpr Choice<Norm> kNorms[] = {{"rms", Norm::rms}, {"layer", Norm::layer}};
inline constexpr Choice<Biases> kBiases[] = {
    {"none", Biases::none}, {"qkv", Biases::qkv}, {"all", Biases::all}};

/// Kernels of attention: fused ones by generation, or with scores in memory.
enum class Attention : std::uint8_t {
  flash,  ///< fused, in the generation that the stack runs on the chip
  /// FlashAttention 1 (arXiv:2205.14135) and its kin: Triton's, xformers', PyTorch 2.0's.
  flash1,
  flash2,    ///< FlashAttention 2 (arXiv:2307.08691), PyTorch's since 2.2
  fastest,   ///< the fastest on the chip: cuDNN, FlashAttention 3 (arXiv:2407.08608)
  masked,    ///< flash2 under a dense mask, which computes the masked half too
  standard,  ///< materialised
};
inline constexpr Choice<Attention> kAttentions[] = {
    {"flash", Attention::flash},    {"flash-1", Attention::flash1},
    {"flash-2", Attention::flash2}, {"fastest", Attention::fastest},
    {"masked", Attention::masked},  {"standard", Attention::standard}};

/// Mixture of experts in place of the dense feed-forward of a layer.
struct MixtureOfExperts {
  double experts = 0;            ///< routed experts per layer
  double experts_per_token = 0;  ///< routed experts that a token uses
  double expert_ffn = 0;         ///< intermediate width of one expert
  double shared_ffn = 0;         ///< total intermediate width of the always-on experts, 0 if none
  double dense_layers = 0;       ///< leading layers with the dense feed-forward instead
  /// Groups of experts, one per node, to choose from; 0: not limited.
  double expert_groups = 0;
  /// Groups that one token's experts may lie in (DeepSeek-V3: 4 of 8).
  double groups_per_token = 0;
  bool router_bias = false;  ///< one bias per expert in the router
  bool expert_bias = false;  ///< biases in the expert matrices (gpt-oss)
  bool shared_gate = false;  ///< a gate vector for the shared expert (Qwen2-MoE)
  /// Width that tokens are projected to before the routed experts and back from after them
  /// (Nemotron 3 Super and Ultra); 0: the hidden width.
  double latent = 0;
};

/// Multi-head latent attention (DeepSeek-V2/V3). q_lora_rank 0: queries are not compressed.
struct LatentAttention {
  double q_lora_rank = 0;
  double kv_lora_rank = 0;
  double qk_nope_head_dim = 0;
  double qk_rope_head_dim = 0;
  double v_head_dim = 0;
};

/// A selective state space (Mamba-2; Dao and Gu, arXiv:2405.21060).
struct StateSpace {
  double heads = 0;
  double head_dim = 0;
  double groups = 1;  ///< that share an input and an output matrix of the state
  double state = 0;   ///< values of the state per channel
  double conv = 4;    ///< taps of the convolution before it
  bool conv_bias = true;
  double chunk = 256;  ///< tokens that the kernel works on at once
};

/// Linear attention by a gated delta rule (Gated DeltaNet; Yang et al., arXiv:2412.06464).
struct LinearAttention {
  double key_heads = 0;
  double key_dim = 0;
  double value_heads = 0;
  double value_dim = 0;
  double conv = 4;    ///< taps of the convolution over queries, keys and values
  double chunk = 64;  ///< tokens that the kernel works on at once
};

/// Latent attention to the tokens that an indexer chooses (DeepSeek-V3.2, arXiv:2512.02556,
/// section 2.1).
struct SparseAttention {
  double index_heads = 0;
  double index_dim = 0;
  double top_k = 0;  ///< tokens that a token attends to
};

/// The block that mixes the tokens of a layer.
enum class Mixer : std::uint8_t { attention, mamba, linear, sparse, none };
enum class FeedForward : std::uint8_t { dense, moe, none };

/// `count` layers of one kind in a row. A layer without a mixer is a feed-forward alone.
struct PatternPart {
  Mixer mixer = Mixer::attention;
  FeedForward ffn = FeedForward::dense;
  double count = 1;
};

/// A share of the layers whose attention sees at most `window` tokens, 0 for all.
struct AttentionWindow {
  double share = 1;
  double window = 0;
  bool operator==(const AttentionWindow&) const = default;
};

/// Cross-attention layers inserted between the decoder's own (Llama 3.2 Vision, Flamingo).
struct CrossAttention {
  double layers = 0;     ///< number of inserted layers
  double ffn = 0;        ///< intermediate width of an inserted layer's own feed-forward
  double key_width = 0;  ///< width of the keys' input; 0 means the hidden width
  /// The decoder's own layers that come before the first inserted one. They never see the image,
  /// so a frozen decoder owes no gradient there.
  double own_layers_before = 0;
};

/// A decoder-only language model (or the text tower of a contrastive one). Widths and counts are
/// whole numbers held as double, so that formulas need no casts.
struct LanguageModel {
  double layers = 0;
  double hidden = 0;
  double heads = 0;
  double kv_heads = 0;
  double head_dim = 0;
  double ffn = 0;  ///< intermediate width of the dense feed-forward
  double vocab = 0;
  Mlp mlp = Mlp::gated;
  Norm norm = Norm::rms;
  Biases biases = Biases::none;
  bool tied_embeddings = false;
  double learned_positions = 0;     ///< rows of a learned position table, 0 if none
  std::optional<double> context;    ///< longest sequence that the released weights take
  double extra_embedding_rows = 0;  ///< input embedding rows that the head does not predict
  bool output_head = true;          ///< false: no logits (text tower of a contrastive model)
  bool scalar_head = false;         ///< one value per token in place of logits (reward, critic)
  bool bidirectional = false;       ///< every token sees the whole sequence
  double norms_per_layer = 2;       ///< 1 with parallel attention (Falcon-7B), 4 with Gemma 2 and 3
  bool norm_bias = true;            ///< of Norm::layer; MPT has none
  bool output_bias = false;         ///< attention output has a bias even where `biases` gives none
  bool qk_norm = false;             ///< norms over the head dim of queries and keys (Qwen3)
  bool wide_qk_norm = false;        ///< norms over all queries and all keys (OLMo 2, MiniMax-M2)
  bool head_bias = false;           ///< the output head has a bias (Phi)
  bool attention_sinks = false;     ///< one learned logit per head (gpt-oss)
  double mtp_layers = 0;            ///< multi-token-prediction modules (DeepSeek-V3), 0 if none
  std::array<AttentionWindow, 4> windows{};  ///< shares sum to 1
  int window_count = 1;
  std::optional<MixtureOfExperts> moe;
  std::optional<LatentAttention> mla;
  std::optional<CrossAttention> cross_attention;
  std::optional<StateSpace> mamba;
  std::optional<LinearAttention> linear;
  std::optional<SparseAttention> sparse;
  bool output_gate = false;  ///< attention's output passes a gate as wide as its queries
  /// Kinds of layers in their order, repeated to `layers`; none: attention in all of them.
  std::array<PatternPart, 8> pattern{};
  int pattern_parts = 0;
};

enum class ConnectorKind : std::uint8_t {
  linear,           ///< one matrix
  mlp,              ///< two matrices with GELU (LLaVA-1.5)
  pixel_shuffle,    ///< merges neighbouring tokens, then a norm and an MLP (InternVL, Qwen-VL)
  perceiver,        ///< latents that attend to the image (Idefics2)
  qformer,          ///< BERT with learned queries (BLIP-2)
  cross_attention,  ///< the language model's own inserted layers read the image
  attention_pool,   ///< one learned query pools the image (SigLIP's head, contrastive training)
};
/// Connectors that a field offers come first.
inline constexpr Choice<ConnectorKind> kConnectors[] = {
    {"linear", ConnectorKind::linear},
    {"mlp", ConnectorKind::mlp},
    {"pixel-shuffle", ConnectorKind::pixel_shuffle},
    {"perceiver", ConnectorKind::perceiver},
    {"qformer", ConnectorKind::qformer},
    {"cross-attention", ConnectorKind::cross_attention},
    {"attention-pool", ConnectorKind::attention_pool}};
inline constexpr std::size_t kOfferedConnectors = 6;

/// A transformer encoder of images (or audio frames), bidirectional.
struct Encoder {
  std::string name;
  std::string title;
  double layers = 0;
  double hidden = 0;
  double heads = 0;
  double ffn = 0;
  Mlp mlp = Mlp::plain;
  Norm norm = Norm::layer;
  Biases biases = Biases::all;
  double patch = 0;    ///< pixels per side of a patch
  double image = 0;    ///< pixels per side of the input, 0: native resolution
  double longest = 0;  ///< native resolution: longest side that goes in, 0: by the rule
  double channels = 3;
  double temporal_patch = 1;  ///< frames per patch (Qwen2-VL: 2)
  bool patch_bias = false;
  bool class_token = false;
  bool learned_positions = true;
  bool pre_norm = false;     ///< a norm before the first layer (CLIP)
  bool post_norm = false;    ///< a norm after the last layer
  bool layer_scale = false;  ///< two learned vectors per layer (InternViT)
  /// Attention bias vectors that `biases` implies and a layer lacks (keys in Whisper: 1; queries,
  /// keys, values in InternViT-6B: 3).
  double missing_biases = 0;
  bool qk_norm = false;              ///< InternViT-6B: norms over the whole width
  double window_tokens = 0;          ///< windowed attention: tokens per window, 0 if none
  double full_attention_layers = 0;  ///< with windows: layers with full attention
  double extra_params = 0;           ///< parameters that no rule above gives (positions of tiles)
  double head_params = 0;        ///< pooling head that only contrastive training uses; not counted
  bool fused_attention = false;  ///< its released code never materialises the scores
  double tokens_per_image = 0;   ///< tokens of one image at `image`, class token included
  std::string token_family;      ///< the rule of `trcost tokens` that this encoder goes with
  /// Connector of the family that it was released with, mlp if it was released alone.
  ConnectorKind connector = ConnectorKind::mlp;
};

/// The connector between an encoder and the language model.
struct Connector {
  ConnectorKind kind = ConnectorKind::mlp;
  std::optional<double> hidden;  ///< inner width of the MLP; else the language model's hidden width
  double merge = 1;              ///< encoder tokens that become one token (pixel shuffle 2x2: 4)
  bool norm = false;             ///< a norm over the (merged) input
  Norm norm_type = Norm::layer;
  bool biases = true;                ///< of linear, mlp, pixel_shuffle, cross_attention
  std::optional<double> norm_width;  ///< of that norm; else the merged width
  double latents = 0;                ///< perceiver, qformer: tokens that come out
  double depth = 0;                  ///< perceiver, qformer: layers
  double heads = 0;
  double kv_heads = 0;
  double head_dim = 0;
  /// perceiver, qformer: inner width; linear: width that comes out; else the language model's
  std::optional<double> width;
  double copies = 1;     ///< mlp, pixel_shuffle: as many side by side (Qwen3-VL)
  double gated_ffn = 0;  ///< a gated modality projection before the perceiver (Idefics2)
  std::optional<double> input_width;  ///< of the features read; else the encoder's hidden width
  /// Width that one matrix projects merged tokens to before the others (Mistral 3).
  std::optional<double> merged_width;
  double extra_params = 0;  ///< parameters that no rule above gives
};

/// The vision half of a vision-language model.
struct VisionModel {
  Encoder encoder;
  Connector connector;
  std::optional<double> tokens_per_image;  ///< in the language model; empty: by the token rule
  std::optional<double> encoder_tokens_per_image;  ///< in the encoder; empty: by the token rule
};

/// A key that a configuration file leaves out, with the default of its family's class.
struct TakenDefault {
  std::string key;    ///< `text_config.hidden_size`
  std::string value;  ///< as JSON has it
};

/// Tokens that a released model was trained on.
struct TrainingTokens {
  double count = 0;  ///< 0: not published
  std::string source;
  double sequence = 0;  ///< length of the sequences that most of them were in, 0: not stated
};

/// An alias that names another model with the same architecture.
struct AliasNote {
  std::string alias;
  std::string note;  ///< a sentence that says what the answer is about
};

/// A named architecture.
struct Model {
  std::string name;
  std::string title;
  std::string source;        ///< where the configuration was read
  std::string token_family;  ///< rule of `trcost tokens`, empty for a text model
  /// Serving format of the released weights, if it is smaller than 16 bit.
  std::string released_format;
  /// quant_method of a config.json whose format of the weights is not known. Else empty.
  std::string unread_quantization;
  TrainingTokens training_tokens;
  std::vector<AliasNote> alias_notes;
  LanguageModel language;
  std::optional<VisionModel> vision;
  std::optional<double> patches;  ///< of an image, if the model is an encoder of images (ViT)
  bool from_config = false;       ///< read from a Hugging Face config.json
  bool from_size = false;         ///< made from a parameter count alone: its name is that count
  std::vector<TakenDefault> defaults;  ///< of a Hugging Face config.json; else empty
  std::vector<std::string> warnings;   ///< what a Hugging Face config.json says that is not counted
};

}  // namespace trcost::catalog
