// SPDX-License-Identifier: Apache-2.0
// Shares of serving that no chip and no engine changes.
#pragma once

#include "quantity/layers.h"

namespace trcost::performance {

/// Load of the busiest expert's GPU over the mean (DeepSeek-V3, arXiv:2412.19437, section 3.4:
/// redundant experts bring it near 1).
inline constexpr double kExpertImbalance = 1.1;
/// Share of the 16-bit peak that the core of attention reaches, decoding and in a prompt
/// (assumptions; the fitted factors of engines and chips stand on them).
inline constexpr double kDecodeAttention = 0.6;
inline constexpr double kPrefillAttention = 0.5;
/// A token crosses the network once per node that holds one of its experts, four at most
/// (DeepSeek-V3, section 3.2.2), of a network that reaches 0.8 (assumption), half of it hidden by a
/// second micro-batch (assumption).
inline constexpr double kNodesPerToken = 4;
inline constexpr double kServingNetworkShare = 0.8;
inline constexpr double kNetworkExposed = 0.5;
/// No engine reaches more of the peak in a prompt, whatever its factor says (assumption).
inline constexpr double kMostPrefill = 0.9;
inline constexpr double kExchangeBytes = 3;  ///< a token's number: 1 byte out, 2 back
/// Accelerators that only read prompts are not busier: no queue of random arrivals is short above.
inline constexpr double kBusiestPrefill = 0.9;

}  // namespace trcost::performance
