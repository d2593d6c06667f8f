// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "catalog/models/weight_formats.h"
#include "json/strict_json.h"

namespace trcost::catalog {

/// The weights' format that a config.json states in quantization_config.
struct Quantization {
  std::string method;                  ///< quant_method, e.g. `gptq`. Empty: not quantized
  std::optional<WeightFormat> format;  ///< Empty: the method or its number of bits is not known
};

/// Reads quantization_config, which may stand in the object of the language model.
Quantization read_quantization(const ObjectReader& config);

}  // namespace trcost::catalog
