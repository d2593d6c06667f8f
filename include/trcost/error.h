// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace trcost {

/// What went wrong, as far as a caller has to tell the cases apart.
enum class ErrorKind {
  usage,      ///< the question is malformed: unknown field, value outside its range (exit code 2)
  data,       ///< a file or a catalog entry is wrong or missing (exit code 1)
  no_answer,  ///< well posed, but nothing satisfies it, such as a model that fits nowhere (exit 1)
};

/// The one exception of the library. `message` says what was wrong and what is allowed, `location`
/// where (a flag, or a file with a JSON pointer; may be empty), `hint` the next step (may be
/// empty).
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string message, std::string hint = {}, std::string location = {});

  ErrorKind kind;
  std::string message;
  std::string hint;
  std::string location;
};

}  // namespace trcost
