// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/documents.h"
#include "report/schema/schemas.h"
#include "report/table/table.h"

namespace trcost::cli {
namespace {

struct SchemaArguments {
  std::string name;
  OutputOptions output;
};

std::string schema_list(Format format) {
  Table table({{.title = "schema", .key = "name"},
               {.title = "command", .key = "of", .overflow = Overflow::wrap}});
  for (const Schema& schema : schemas()) {
    table.add_row({std::string(schema.name), std::string(schema.title)});
  }
  return render(table_document(std::move(table), "schemas"), format);
}

int run_schema(const SchemaArguments& arguments) {
  const Format format =
      arguments.output.choose(arguments.name.empty() ? Format::table : Format::json);
  const std::string text =
      arguments.name.empty() ? schema_list(format) : schema_text(arguments.name);
  Output output(arguments.output.path);
  output.write(text);
  output.commit();
  return kExitOk;
}

}  // namespace

Action define_schema(Flags& flags, Session&) {
  auto arguments = std::make_shared<SchemaArguments>();
  flags.group("Arguments");
  flags.add("NAME", arguments->name, "", "a command. Without it, the list");
  add_output_options(flags, arguments->output, {Format::table, Format::json},
                     "json, or table for the list");
  return [arguments] { return run_schema(*arguments); };
}

}  // namespace trcost::cli
