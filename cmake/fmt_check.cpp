// SPDX-License-Identifier: Apache-2.0
// Whether fmt.cpp is all that this version of fmt needs beside its headers.
#include <fmt/format.h>

#include <string>
#include <vector>

int main() {
  const std::vector<std::string> words = {"a", "b"};
  const std::string text =
      fmt::format("{} {:>4.1f} {} {:L} {}", 1, 2.5, 3.5F, 4.5, fmt::join(words, ","));
  return text.empty() ? 1 : 0;
}
