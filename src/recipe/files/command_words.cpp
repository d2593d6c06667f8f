// SPDX-License-Identifier: Apache-2.0
#include "recipe/files/command_words.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace trcost::recipe {
namespace {

// The last part of a path.
std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

template <std::size_t N>
bool is_one_of(const std::string& word, const std::string_view (&words)[N]) {
  return std::ranges::find(words, word) != std::end(words);
}

constexpr std::string_view kShells[] = {"bash", "sh", "zsh"};
// Programs around a container, whose own flags say nothing about the run.
constexpr std::string_view kContainers[] = {"docker", "podman",  "singularity", "apptainer",
                                            "enroot", "kubectl", "ssh",         "pdsh",
                                            "uv",     "numactl", "nsys",        "nice"};
constexpr std::string_view kPrograms[] = {
    "python",  "python3",  "torchrun", "accelerate",         "bash",   "sh",       "deepspeed",
    "swift",   "megatron", "tune",     "llamafactory-cli",   "litgpt", "composer", "trl",
    "axolotl", "srun",     "mpirun",   "fairseq-hydra-train"};

bool is_number(std::string text) {
  std::erase(text, '_');  // `9_765_625`
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size();
}

// `--flag`, `-N`, but not `-2` or `-`.
bool is_flag(const std::string& text) {
  if (text.size() < 2 || text[0] != '-') return false;
  if (text[1] == '-') return text.size() > 2;
  return (text[1] >= 'A' && text[1] <= 'Z') || (text[1] >= 'a' && text[1] <= 'z');
}

// `a.b=c`, `+a=b`: an override behind a command.
bool is_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  const std::string key = text.substr(0, equals);
  return std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._+~/@-").find(c) != std::string_view::npos;
  });
}

// Quotes that a variable brings along stand around a value, as in `X="--a 'b'"; run $X`.
std::string without_quotes(std::string text) {
  const bool quoted = text.size() > 1 && (text.front() == '\'' || text.front() == '"') &&
                      text.find(text.front(), 1) == text.size() - 1;
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// Gives each flag its value.
class FlagReader {
 public:
  FlagReader(const std::string& file, ShellCommand& out) : file_(file), out_(out) {}

  void take(const ShellField& field, int line) {
    const std::string text = without_quotes(field.text);
    if (field.unknown && text.empty()) return take_unknown();
    if (is_flag(text)) return open_flag(text, field.unknown, line);
    const bool dotted = is_override(text) && (text.find('.') < text.find('=') || text[0] == '+');
    if (is_override(text) && (!waiting_ || dotted)) return take_override(text, field.unknown, line);
    if (text.ends_with(".py") || (text.size() > 2 && (last_ == "-m" || last_ == "--module")))
      return take_word(text);
    if (!waiting_) return flag_open_ && !is_closed(text) ? add_item(text, line) : take_word(text);
    out_.facts.back().value = text;
    out_.facts.back().given = field.unknown ? Given::unknown : Given::text;
    waiting_ = false;
  }

  // What was read so far belongs to a program around this one.
  void begin_program() {
    out_.wrapper = std::exchange(out_.facts, {});
    first_of_.clear();
    last_.clear();
    waiting_ = flag_open_ = false;
  }

 private:
  // A word behind a number belongs to no flag.
  [[nodiscard]] bool is_closed(const std::string& text) const {
    return is_number(out_.facts.back().value) && !is_number(text);
  }
  void take_unknown() {
    if (!waiting_) return;
    out_.facts.back().given = Given::unknown;
    waiting_ = false;
  }
  void open_flag(const std::string& text, bool unknown, int line) {
    const std::size_t equals = text.find('=');
    last_ = text.substr(0, equals);
    if (last_ == "-m" || last_ == "--module") {
      waiting_ = flag_open_ = false;
      return;
    }
    waiting_ = equals == std::string::npos;
    flag_open_ = waiting_;
    const std::string value = waiting_ ? "" : without_quotes(text.substr(equals + 1));
    replace_earlier(last_);
    out_.facts.push_back({last_, value, file_, line,
                          unknown    ? Given::unknown
                          : waiting_ ? Given::bare
                                     : Given::text});
  }
  void take_override(const std::string& text, bool unknown, int line) {
    const std::size_t equals = text.find('=');
    std::string key = text.substr(0, equals);
    key.erase(0, std::min(key.find_first_not_of("+~"), key.size()));
    const std::string value = without_quotes(text.substr(equals + 1));
    const bool nothing = value.empty() || value == "null" || value == "~";
    replace_earlier(key);
    out_.facts.push_back({std::move(key), value, file_, line,
                          unknown   ? Given::unknown
                          : nothing ? Given::nothing
                                    : Given::text});
    waiting_ = flag_open_ = false;
  }
  // The last of two equal flags counts, as in argparse and Hydra.
  void replace_earlier(const std::string& key) {
    const auto [at, fresh] = first_of_.try_emplace(key, out_.facts.size());
    if (fresh) return;
    for (std::size_t i = at->second; i < out_.facts.size() && out_.facts[i].key == key; ++i) {
      out_.facts[i].given = Given::replaced;
    }
    at->second = out_.facts.size();
  }
  // A further value of a flag.
  void add_item(const std::string& text, int line) {
    out_.facts.push_back({out_.facts.back().key, text, file_, line, Given::text});
  }
  void take_word(const std::string& text) {
    out_.words.push_back(text);
    last_.clear();
    waiting_ = flag_open_ = false;
  }

  const std::string& file_;
  ShellCommand& out_;
  std::map<std::string, std::size_t> first_of_;  // index of a key's first value that counts
  std::string last_;                             // flag
  bool waiting_ = false;                         // for the flag's value
  bool flag_open_ = false;                       // further values belong to it
};

}  // namespace

void CommandWords::add(ShellField field, int line) {
  // "--fp8-format hybrid" in one pair of quotes, as in arrays of flags.
  const std::size_t blank = field.text.find(' ');
  const bool pair =
      field.text.starts_with("--") && blank != std::string::npos && field.text.find('=') > blank;
  if (!pair) return fields_.push_back({std::move(field), line});
  fields_.push_back({{field.text.substr(0, blank), false}, line});
  fields_.push_back({{field.text.substr(blank + 1), field.unknown}, line});
}

std::string CommandWords::program() const {
  return argument(0);
}

std::string CommandWords::argument(std::size_t index) const {
  return index < fields_.size() ? fields_[index].field.text : std::string();
}

std::string CommandWords::echoed() const {
  std::string out;
  for (std::size_t i = 1; program() == "echo" && i < fields_.size(); ++i) {
    out += (i > 1 ? " " : "") + script_of(fields_[i].field);
  }
  return out;
}

std::string CommandWords::script_file() const {
  for (std::size_t i = 0; i + 1 < fields_.size(); ++i) {
    if (is_one_of(base_name(argument(i)), kShells)) return argument(i + 1);
  }
  return {};
}

bool CommandWords::writes_document() const {
  return program() == "cat" || program() == "tee";
}

// The text of a script with its unknown parts.
const std::string& CommandWords::script_of(const ShellField& field) {
  return field.unknown ? field.script : field.text;
}

std::vector<std::string> CommandWords::nested_scripts() const {
  std::vector<std::string> out;
  if (program() == "eval") {
    std::string all;
    for (std::size_t i = 1; i < fields_.size(); ++i) all += script_of(fields_[i].field) + " ";
    out.push_back(std::move(all));
    return out;
  }
  for (std::size_t i = 0; i + 2 < fields_.size(); ++i) {
    if (!is_one_of(base_name(fields_[i].field.text), kShells)) continue;
    std::size_t at = i + 1;  // flags, the last of which is or ends with `c`
    const auto is_short = [&](std::size_t index) {
      const std::string word = argument(index);
      return word.size() > 1 && word[0] == '-' && word[1] != '-';
    };
    while (is_short(at) && argument(at).find('c') == std::string::npos) ++at;
    if (!is_short(at) || at + 1 >= fields_.size()) continue;
    out.push_back(script_of(fields_[at + 1].field));
    break;
  }
  return out;
}

// Words before a program in a container, and those before the `--` of a launcher such as `ray job
// submit`, belong to other programs.
std::size_t CommandWords::first_of_program() const {
  const std::string name = base_name(program());
  for (std::size_t i = 1; i < fields_.size(); ++i) {
    const std::string& text = fields_[i].field.text;
    const bool program = i + 1 < fields_.size() && is_one_of(base_name(argument(i + 1)), kPrograms);
    const bool mason = base_name(argument(1)) == "mason.py";  // its nodes multiply the processes
    if (text == "--" && (name == "ray" || program) && !mason) return i + 1;
    if (is_one_of(name, kContainers) && is_one_of(base_name(text), kPrograms)) return i;
  }
  return 0;
}

ShellCommand CommandWords::finish() const {
  ShellCommand out;
  out.line = line_;
  const std::size_t first = first_of_program();
  FlagReader reader(file_, out);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (i == first && i > 0) reader.begin_program();
    if (fields_[i].field.text != "--") reader.take(fields_[i].field, fields_[i].line);
  }
  return out;
}

}  // namespace trcost::recipe
