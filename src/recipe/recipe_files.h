// SPDX-License-Identifier: Apache-2.0
// The files of a recipe: those that are named, and those that they name beside themselves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "quantity/layers.h"
#include "recipe/files/facts.h"
#include "recipe/framework.h"

namespace trcost::recipe {

/// Facts that are read by one table.
struct RecipeSource {
  /// Weakest first: the facts of a later kind win.
  enum class Kind : std::uint8_t {
    part,     ///< completes another file: DeepSpeed, Accelerate, peft
    wrapper,  ///< a job around a script, and the lines of a Slurm header
    file,     ///< configuration
    other,    ///< commands beside the run
    branch,   ///< flags of a branch that only the machine decides
    serve,    ///< inference servers beside the run
    train,    ///< command that starts the run
  };
  Kind kind = Kind::file;
  std::string table;  ///< of a part or a wrapper
  Facts facts;
};

struct RecipeFiles {
  std::vector<std::string> paths;
  std::vector<RecipeSource> sources;
  Facts facts;                       ///< all that tell the framework
  std::vector<Fact> absent;          ///< keys whose file is not beside the recipe
  std::vector<std::string> further;  ///< other runs of the same script
};

/// Opens the files. Throws Error (data) for a malformed file and for Python.
RecipeFiles open_recipe_files(const std::vector<std::string>& paths, const Frameworks& frameworks);

}  // namespace trcost::recipe
