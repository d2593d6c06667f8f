// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace trcost {

/// The cases of an error that callers separate.
enum class ErrorKind {
  usage,      ///< the question is malformed: unknown field, value outside its range (exit code 2)
  data,       ///< a file or a catalog entry is wrong or missing (exit code 1)
  no_answer,  ///< well posed, but nothing satisfies it, such as a model that fits nowhere (exit 1)
};

/// The one exception of the library. `message` says what is wrong and what is allowed. `location`
/// is a flag, or a file with a JSON pointer, and may be empty. `hint` is the next step and may be
/// empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind_, std::string message_, std::string hint_ = {}, std::string location_ = {})
      : std::runtime_error(location_.empty() ? message_ : location_ + ": " + message_),
        kind(kind_),
        message(std::move(message_)),
        hint(std::move(hint_)),
        location(std::move(location_)) {}

  ErrorKind kind;
  std::string message;
  std::string hint;
  std::string location;
};

}  // namespace trcost
