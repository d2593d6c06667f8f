// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trcost/error.h"

// What the Error that `action` throws says, location and hint included; empty without one.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const trcost::Error& error) {
    return error.location + ": " + error.message + " (" + error.hint + ")";
  }
  return {};
}
