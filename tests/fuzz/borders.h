// SPDX-License-Identifier: Apache-2.0
// The borders of the program: each takes bytes from outside and may do two things with them, return
// or throw Error. Anything else (another exception, a broken promise, a sanitizer's word) ends the
// process. One function per border; one driver for all of them (fuzz_main.cpp), and the corpora run
// as an ordinary test.
#pragma once

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "trcost/error.h"

namespace trcost::fuzz {

struct Border {
  std::string_view name;  ///< also its folder of corpus/
  void (*run)(std::string_view bytes);
};

std::span<const Border> borders();
/// Null where there is none of that name.
const Border* find_border(std::string_view name);

void catalog(std::string_view bytes);        ///< models, chips, systems, stacks
void hugging_face(std::string_view bytes);   ///< a config.json of a model, and its unread keys
void scenario(std::string_view bytes);       ///< scenarios, with experiments; saved results
void saved_result(std::string_view bytes);   ///< the readers of `diff`
void numbers(std::string_view bytes);        ///< every kind of number, and every field as a flag
void prices(std::string_view bytes);         ///< tables of `prices import`
void data_file(std::string_view bytes);      ///< one file of a data folder, named by the first line
void image(std::string_view bytes);          ///< headers of image files
void image_sizes(std::string_view bytes);    ///< tables of sizes
void sweep(std::string_view bytes);          ///< axes, conditions, columns: one per line
void resume(std::string_view bytes);         ///< files of --resume
void words(std::string_view bytes);          ///< what transfer, solve, serve and --shard are asked
void training_log(std::string_view bytes);   ///< logs of `calibrate`
void measured_rows(std::string_view bytes);  ///< tables of `calibrate`
void recipe(std::string_view bytes);         ///< YAML, TOML and scripts of other tools
void text(std::string_view bytes);           ///< decoding, and what a terminal is shown

/// Runs `use`; an Error has to have words.
template <class Use>
void attempt(const Use& use) {
  try {
    use();
  } catch (const Error& error) {
    if (error.message.empty()) std::abort();
  }
}

/// A promise that is checked in every build type.
inline void require(bool promise) {
  if (!promise) std::abort();
}

/// A file that holds the bytes; one per process and ending of its name, written anew by every call.
const std::string& file_with(std::string_view bytes, const std::string& ending = {});

}  // namespace trcost::fuzz
