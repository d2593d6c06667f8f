// SPDX-License-Identifier: Apache-2.0
// The yardstick of start-up: links the same four libraries, parses an option, prints one JSON
// object.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

int main(int argc, char** argv) {
  CLI::App app;
  double params = 0;
  app.add_option("--params", params, "parameters");
  CLI11_PARSE(app, argc, argv);
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("bare", std::make_shared<spdlog::sinks::stderr_sink_st>()));
  const nlohmann::json document = {{"schema_version", "1.0"}, {"params", params}};
  fmt::print("{}\n", document.dump());
}
