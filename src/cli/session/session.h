// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/catalog.h"
#include "trcost/report.h"

namespace trcost::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitCheckFailed = 3;
inline constexpr int kExitInterrupted = 130;

/// Options that every command has.
struct GlobalOptions {
  std::string data_dir;
  std::string config;
  bool no_config = false;
  std::string color = "auto";
  std::string currency;
  std::string rate;
  bool quiet = false;
  bool verbose = false;
};

/// State shared by a run of the program: global options, the catalog, and stderr.
class Session {
 public:
  Session();
  ~Session();

  GlobalOptions options;
  std::string command;            ///< the whole command line, as a shell reads it
  std::vector<Setting> settings;  ///< of the user's own that are part of the scenario
  /// Takes the messages for stderr instead, if it is set: their kind (`error`, `hint`, `warning`,
  /// `note`) and text.
  std::function<void(std::string_view kind, std::string_view message)> listener;

  /// Throws Error (usage) if a global option has no such value.
  void check_options() const;
  /// From here on, defines() is true only for flags among `words`; null for all flags.
  void define_only(const std::vector<std::string>* words) { only_ = words; }
  /// Whether to define the flag of a scenario field.
  [[nodiscard]] bool defines(std::string_view flag) const;
  /// Opened at the first use, from --data-dir or TRCOST_DATA_DIR.
  const Catalog& catalog();

  void error(std::string_view message, std::string_view hint = {});
  void warn(std::string_view message);
  void note(std::string_view message);   ///< what the user should know, and no warning
  void trace(std::string_view message);  ///< only with -v
  void text(std::string_view lines);     ///< as it is

  /// Whether text on stdout or stderr is coloured (NO_COLOR, FORCE_COLOR, TERM, --color).
  [[nodiscard]] bool colored(int descriptor) const;
  /// Columns of a line of text on stdout, from 40 to 160: those of COLUMNS, else of the terminal.
  /// 80 for pipes and files.
  [[nodiscard]] int width() const;

 private:
  void print(std::string_view label, std::string_view color, std::string_view message);
  std::unique_ptr<Catalog> catalog_;
  const std::vector<std::string>* only_ = nullptr;
};

/// The variable's value, or empty. Throws Error (usage) where one of trcost's own is no text.
std::string environment(const char* name);

/// Throws Error (usage) where an argument is not UTF-8, or holds what is unprintable: what is typed
/// becomes part of results, which have to be read again.
void require_text(std::string_view text, const std::string& location);

}  // namespace trcost::cli
