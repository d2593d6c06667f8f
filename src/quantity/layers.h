// SPDX-License-Identifier: Apache-2.0
// A namespace per layer, lowest first. trcost itself holds the public API of include/trcost.
#pragma once

namespace trcost {

namespace quantity {}
namespace text {}
namespace json {}
namespace catalog {}
namespace scenario {}
namespace workload {}
namespace recipe {}
namespace performance {}
namespace planner {}
namespace prices {}
namespace cost {}
namespace estimation {}
namespace study {}
namespace report {}

using namespace quantity;
using namespace text;
using namespace json;
using namespace catalog;
using namespace scenario;
using namespace workload;
using namespace recipe;
using namespace performance;
using namespace planner;
using namespace prices;
using namespace cost;
using namespace estimation;
using namespace study;
using namespace report;

}  // namespace trcost
