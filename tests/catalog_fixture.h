// SPDX-License-Identifier: Apache-2.0
// The built-in catalog, read once for all tests.
#pragma once

#include "trcost/catalog.h"

inline const trcost::Catalog& test_catalog() {
  static const trcost::Catalog instance;
  return instance;
}
