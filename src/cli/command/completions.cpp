// SPDX-License-Identifier: Apache-2.0
// Completions and the man page, from the same table of commands and options as the help.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/help_topics.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "estimate/question/work/field_names.h"
#include "report/schema/schemas.h"
#include "scenario/fields.h"
#include "trcost/error.h"
#include "trcost/report.h"
#include "trcost/tokens.h"
#include "trcost/version.h"

namespace trcost::cli {
namespace {

// A flag with the words that complete its values.
struct Completed : Flag {
  std::string words;  // that complete its value; files do where there are none
  bool list = false;  // takes several, separated by commas
  bool open = false;  // the words go on: no space after them

  // `--output -o`
  [[nodiscard]] std::string names() const { return letter.empty() ? name : name + " " + letter; }
};

// Whether a value is one of some words: `a|b|c`.
bool is_word_list(const std::string& value) {
  return value.find('|') != std::string::npos;
}

// Words between spaces.
std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

// Names without a space, each once, between spaces: shells split the rest.
std::string names_of(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) {
    return name.empty() || name.find_first_of(" ,'\"$`()") != std::string::npos;
  });
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return joined(names);
}

std::string words_of(std::string value) {
  std::ranges::replace(value, '|', ' ');
  return value;
}

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const TokenFamily& family : token_families()) names.emplace_back(family.name);
  return names;
}

// Flags with names of the data that are no field's.
struct NamedFlag {
  std::string_view flag;
  Names names;
  bool list = false;
};
constexpr NamedFlag kNamedFlags[] = {{"--from", Names::accelerators},
                                     {"--to", Names::accelerators, true},
                                     {"--engine", Names::engines}};

NamedFlag named_flag(std::string_view flag) {
  const auto* other = std::ranges::find(kNamedFlags, flag, &NamedFlag::flag);
  if (other != std::end(kNamedFlags)) return *other;
  const auto* field = std::ranges::find(fields(), flag, &FieldInfo::flag);
  if (field == fields().end()) return {flag, Names::none};
  return {flag, field_meaning(field->field).names, field->kind == FieldKind::list};
}

// Sweep axes, up to the sign before their values.
std::string axis_words() {
  std::string out;
  for (const FieldInfo& field : fields())
    out += fmt::format("{}{}=", out.empty() ? "" : " ", field.path);
  return out;
}

std::vector<Completed> flags_of(const Command& command, Session& session) {
  Flags flags;
  flags.add_help();
  const Action action = command.define(flags, session);
  add_global_options(flags, session.options);
  std::vector<Completed> out;
  for (Flag& row : flags.rows()) {
    if (row.positional()) continue;
    Completed flag{std::move(row), {}, false};
    if (is_word_list(flag.value)) {
      flag.words = words_of(flag.value);
      flag.list = named_flag(flag.name).list;
    } else if (flag.name == "--vary") {
      flag.words = axis_words();
      flag.open = true;
    } else if (flag.name == "--family") {
      flag.words = names_of(families());
    } else {
      const NamedFlag named = named_flag(flag.name);
      flag.words = names_of(known_names(session.catalog(), named.names));
      flag.list = named.list;
    }
    out.push_back(std::move(flag));
  }
  return out;
}

std::string command_names() {
  std::string out;
  for (const Command& command : commands())
    out += (out.empty() ? "" : " ") + std::string(command.name);
  return out;
}

// Words that may follow the command, if they are a short list.
std::string argument_words(const Command& command) {
  if (command.name == "list" || command.name == "show") {
    return catalog_kind_names(" ", " ");
  }
  if (command.name == "completions") return "bash zsh fish man";
  if (command.name == "prices") return "import";
  if (command.name == "config") return "show path";
  if (command.name == "schema") {
    std::vector<std::string> names;
    for (const Schema& schema : schemas()) names.emplace_back(schema.name);
    return joined(names);
  }
  if (command.name != "help") return {};
  std::string words = command_names() + " fields topics";
  for (const HelpTopic& topic : help_topics()) {
    if (find_command(topic.name) == nullptr) words += fmt::format(" {}", topic.name);
  }
  return words;
}

// `show KIND NAME`: a row of the case for each kind.
std::string shown_names(Session& session) {
  std::string out;
  for (const CatalogKindInfo& kind : catalog_kinds()) {
    out +=
        fmt::format("    \"show {}\") COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                    kind.name, names_of(session.catalog().names(kind.kind)));
  }
  return out;
}

std::string bash_script(Session& session) {
  std::string out =
      "# bash completion of trcost: source it, or put it into bash-completion's folder\n"
      "_trcost() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} head=\n"
      "  if [ \"$word\" = = ]; then word=\n"  // --flag=VALUE is three words
      "  elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n";
  out += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; "
      "fi\n",
      command_names());
  out += "  case \"${COMP_WORDS[1]} $before\" in\n";
  std::string lists;
  for (const Command& command : commands()) {
    std::string all = argument_words(command);
    for (const Completed& flag : flags_of(command, session)) {
      all += (all.empty() ? "" : " ") + flag.names();
      if (!flag.words.empty()) {
        out += fmt::format(
            "    \"{} {}\") {}COMPREPLY=($(compgen {}-W \"{}\" -- \"$word\")); {}return ;;\n",
            command.name, flag.name,
            flag.list ? "case $word in *,*) head=${word%,*}, word=${word##*,} ;; esac; " : "",
            is_word_list(flag.value) || flag.open ? ""
            : flag.list                           ? "-P \"$head\" "
                                                  : "-f ",
            flag.words, flag.open ? "compopt -o nospace 2>/dev/null; " : "");
      }
    }
    if (command.name == "show") out += shown_names(session);
    lists += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n", command.name,
                         all);
  }
  out += "  esac\n  case \"${COMP_WORDS[1]}\" in\n" + lists + "  esac\n}\n";
  return out + "complete -o default -F _trcost trcost\n";
}

std::string quoted(std::string text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + out + "'";
}

std::string zsh_script(Session& session) {
  std::string out = "#compdef trcost\n_trcost() {\n  local -a commands=(\n";
  for (const Command& command : commands()) {
    out += fmt::format("    {}\n", quoted(fmt::format("{}:{}", command.name, command.summary)));
  }
  out +=
      "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  case $words[2] in\n";
  for (const Command& command : commands()) {
    out += fmt::format("    {}) ", command.name);
    if (command.name == "show") {
      out += "local -A names=(";
      for (const CatalogKindInfo& kind : catalog_kinds()) {
        out += fmt::format("{} '{}' ", kind.name, names_of(session.catalog().names(kind.kind)));
      }
      out += "); ";
    }
    out += "_arguments -S";
    if (const std::string words = argument_words(command); !words.empty()) {
      out += " " + quoted(fmt::format("2:value:({})", words));
    }
    if (command.name == "show") out += " \"3:name:(${names[$words[3]]})\"";
    for (const Completed& flag : flags_of(command, session)) {
      std::string help = flag.help;
      std::erase_if(help, [](char c) { return c == '[' || c == ']' || c == ':'; });
      const bool takes = !flag.words.empty() || !flag.value.empty();
      std::string spec = fmt::format("{}{}[{}]", flag.name, takes ? "=" : "", help);
      if (flag.open) {
        spec += fmt::format(":value:{{compadd -S \"\" - {}}}", flag.words);
      } else if (flag.list) {
        spec += fmt::format(":value:_sequence compadd - {}", flag.words);
      } else if (!flag.words.empty()) {
        spec += fmt::format(":value:({})", flag.words);
      } else if (!flag.value.empty()) {
        spec += ":value:_files";
      }
      out += " " + quoted(spec);
    }
    out += " ;;\n";
  }
  return out + "  esac\n}\n_trcost \"$@\"\n";
}

std::string fish_script(Session& session) {
  std::string out = "# fish completion of trcost\n";
  for (const Command& command : commands()) {
    out += fmt::format("complete -c trcost -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       quoted(std::string(command.summary)));
    if (const std::string words = argument_words(command); !words.empty()) {
      out += fmt::format("complete -c trcost -n '__fish_seen_subcommand_from {}' -a '{}'\n",
                         command.name, words);
    }
    for (const CatalogKindInfo& kind : catalog_kinds()) {
      if (command.name != "show") break;
      out += fmt::format(
          "complete -c trcost -f -n '__fish_seen_subcommand_from show; and "
          "__fish_seen_subcommand_from {}' -a '{}'\n",
          kind.name, names_of(session.catalog().names(kind.kind)));
    }
    for (const Completed& flag : flags_of(command, session)) {
      out += fmt::format("complete -c trcost -n '__fish_seen_subcommand_from {}' -l {} -d {}",
                         command.name, flag.name.substr(2), quoted(flag.help));
      if (!flag.words.empty()) {
        const std::string words =
            flag.list ? fmt::format("(__fish_append , {})", flag.words) : flag.words;
        const bool only = is_word_list(flag.value) || flag.open;
        out += fmt::format(" -{}a '{}'", only ? "x" : "r", words);
      }
      out += "\n";
    }
  }
  return out;
}

// Lines that start with a dot or quote are requests in roff, and `-` is a hyphen.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

// The man page, in roff.
std::string man_page(Session& session) {
  std::string out = fmt::format(
      ".TH TRCOST 1 \"\" \"trcost {}\" \"User Commands\"\n.SH NAME\ntrcost \\- what it costs to "
      "train a "
      "language or vision\\-language model\n.SH SYNOPSIS\n.B trcost\n.I COMMAND\n[OPTIONS]\n",
      trcost_version());
  for (const Command& command : commands()) {
    out += fmt::format(".SH TRCOST {}\n{}.\n.PP\n.B trcost {}\n{}\n.PP\nExamples:\n.nf\n{}.fi\n",
                       command.name, roff(command.summary), command.name, roff(command.usage),
                       roff(command.examples));
    for (const Completed& flag : flags_of(command, session)) {
      out += fmt::format(".TP\n.B {}{}{}\n{}\n", roff(flag.names()), flag.value.empty() ? "" : " ",
                         roff(flag.value), roff(flag.help));
    }
  }
  for (const HelpTopic& topic : help_topics()) {
    out += fmt::format(".SH ABOUT {}\n.nf\n", topic.name);
    const std::string text = topic.text();
    std::string_view lines = text;
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      out += roff(lines.substr(0, end)) + "\n";
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    out += ".fi\n";
  }
  out +=
      ".SH FILES\n.TP\n.B $XDG_CONFIG_HOME/trcost/config.json\nyour own defaults, else "
      "~/.config/trcost/config.json; TRCOST_CONFIG or \\-\\-config name another file\n"
      ".SH EXIT STATUS\n0 success; 1 data or runtime error; 2 usage error; 3 incomplete under "
      "\\-\\-strict or a check that failed; 130 interrupted.\n";
  return out;
}

struct Kind {
  std::string_view name;
  std::string (*text)(Session&);
};
constexpr Kind kKinds[] = {
    {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}, {"man", man_page}};

}  // namespace

Action define_completions(Flags& flags, Session& session) {
  auto name = std::make_shared<std::string>();
  flags.group("Arguments");
  flags.add("KIND", *name, "", "bash, zsh, fish, or man");
  return [name, &session] {
    for (const Kind& kind : kKinds) {
      if (kind.name != *name) continue;
      Output("-").write(kind.text(session));
      return kExitOk;
    }
    throw Error(
        ErrorKind::usage,
        name->empty() ? "which completions?" : fmt::format("no completions for \"{}\"", *name),
        "allowed: bash, zsh, fish, man");
  };
}

}  // namespace trcost::cli
