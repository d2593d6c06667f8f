// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trcost::cli {

/// Topics of `trcost help NAME` other than commands.
struct HelpTopic {
  std::string_view name;
  std::string_view summary;
  std::string (*text)();
};

std::span<const HelpTopic> help_topics();

}  // namespace trcost::cli
