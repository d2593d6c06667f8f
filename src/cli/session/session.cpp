// SPDX-License-Identifier: Apache-2.0
#include "cli/session/session.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "quantity/currency.h"
#include "quantity/suggest.h"
#include "text/unicode.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::cli {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return {};
  if (std::string_view(name).starts_with("TRCOST_")) require_text(value, name);
  return value;
}

void require_text(std::string_view text, const std::string& location) {
  constexpr std::size_t kQuoted = 80;
  const std::optional<std::size_t> at = first_unprintable(text);
  if (!at) return;
  const bool utf8 = first_code_point(text.substr(*at)).valid;
  throw Error(ErrorKind::usage,
              fmt::format("\"{}\" {}", printable(text.substr(0, kQuoted)),
                          utf8 ? "holds a character that is not for show" : "is not UTF-8 text"),
              utf8 ? "leave it out. A \\x0d comes from a script with Windows line ends"
                   : "write it in UTF-8. A file whose name is not UTF-8 has to be renamed",
              location);
}

Session::Session() {
  auto logger =
      std::make_shared<spdlog::logger>("trcost", std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
}

Session::~Session() {
  ask_currency({});
}

namespace {

// Asks for amounts in another currency than dollars.
void read_currency(const GlobalOptions& options) {
  ask_currency({});
  if (options.currency.empty() && options.rate.empty()) return;
  if (options.currency.empty()) {
    throw Error(ErrorKind::usage, "--rate is the rate of a currency", "add --currency, such as EUR",
                "--rate");
  }
  std::string code = options.currency;
  for (char& c : code) c = upper_case(c);
  if (options.rate.empty() && code != "USD") {
    throw Error(
        ErrorKind::usage, "no exchange rates are built in",
        fmt::format("write --currency {} --rate N, its units per dollar", code.substr(0, 20)),
        "--currency");
  }
  const bool letters = std::ranges::all_of(code, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (code.size() != 3 || !letters) {
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a currency", code.substr(0, 20)),
                "write its ISO code: EUR, GBP, JPY", "--currency");
  }
  if (code == "USD") return;
  double rate = 0;
  try {
    rate = parse_number(options.rate, NumberKind::number);
  } catch (const Error& error) {
    throw Error(error.kind, error.message, error.hint, "--rate");
  }
  constexpr double kLowest = 1e-6, kHighest = 1e6;
  if (rate < kLowest || rate > kHighest) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} {} per dollar is no exchange rate", options.rate.substr(0, 20), code),
        "from 1e-6 to 1e6", "--rate");
  }
  ask_currency(currency_of(code, rate));
}

}  // namespace

void Session::check_options() const {
  read_currency(options);
  constexpr std::string_view kColors[] = {"auto", "always", "never"};
  if (std::ranges::find(kColors, options.color) != std::end(kColors)) return;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is none of auto, always, never", options.color),
              "auto colours what a terminal shows", "--color");
}

bool Session::defines(std::string_view flag) const {
  return only_ == nullptr || std::ranges::any_of(*only_, [&](std::string_view word) {
           return word.starts_with(flag) &&
                  (word.size() == flag.size() || word[flag.size()] == '=');
         });
}

const Catalog& Session::catalog() {
  if (!catalog_) {
    std::string directory = options.data_dir;
    if (directory.empty()) directory = environment("TRCOST_DATA_DIR");
    catalog_ = std::make_unique<Catalog>(std::move(directory));
  }
  return *catalog_;
}

bool Session::colored(int descriptor) const {
  if (options.color == "always") return true;
  if (options.color == "never") return false;
  if (!environment("NO_COLOR").empty()) return false;
  const std::string force = environment("FORCE_COLOR");
  if (!force.empty() && force != "0") return true;
  return isatty(descriptor) == 1 && environment("TERM") != "dumb";
}

int Session::width() const {
  constexpr int kNarrowest = 40, kUsual = 80, kWidest = 160;
  int columns = 0;
  const std::string exported = environment("COLUMNS");
  std::from_chars(exported.data(), exported.data() + exported.size(), columns);
  winsize window{};
  if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) columns = window.ws_col;
  return columns <= 0 ? kUsual : std::clamp(columns, kNarrowest, kWidest);
}

void Session::print(std::string_view label, std::string_view color, std::string_view message) {
  if (listener) return listener(label, message);
  const bool paint = colored(STDERR_FILENO);
  spdlog::info("trcost: {}{}{}: {}", paint ? color : "", label, paint ? "\033[0m" : "",
               printable(message, "\n"));
}

void Session::error(std::string_view message, std::string_view hint) {
  print("error", "\033[31m", message);
  if (!hint.empty()) print("hint", "\033[36m", hint);
}

void Session::warn(std::string_view message) {
  if (!options.quiet) print("warning", "\033[33m", message);
}

void Session::note(std::string_view message) {
  if (!options.quiet) print("note", "\033[2m", message);
}

void Session::trace(std::string_view message) {
  if (options.verbose && !options.quiet) spdlog::debug("trcost: {}", printable(message, "\n"));
}

void Session::text(std::string_view lines) {
  if (!listener) spdlog::info("{}", lines);
}

}  // namespace trcost::cli
