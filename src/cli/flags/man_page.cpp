// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/flags/completed_flags.h"
#include "cli/flags/help_topics.h"
#include "trcost/version.h"

namespace trcost::cli {
namespace {

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

}  // namespace

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

}  // namespace trcost::cli
