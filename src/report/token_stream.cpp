// SPDX-License-Identifier: Apache-2.0
#include "report/document_head.h"
#include "report/json_writer.h"
#include "report/token_parts.h"

namespace trcost {
namespace {

using Tokens = std::optional<std::int64_t>;

constexpr std::size_t kHeldBytes = std::size_t{1} << 20;
constexpr std::size_t kHeldItems = 1000;  // of a table's rows

std::optional<double> as_number(Tokens value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

void write_tokens(JsonWriter& json, std::string_view key, Tokens encoder, Tokens vision) {
  json.begin_object(key);
  json.member("vision_encoder", as_number(encoder));
  json.member("vision", as_number(vision));
  json.end_object();
}

void write_item(JsonWriter& json, const TokenItem& item) {
  const TokenCount& t = item.tokens;
  json.begin_object();
  json.member("input", item.input);
  json.member("family", item.family);
  if (item.count != 1) json.member("count", static_cast<double>(item.count));
  write_tokens(json, "tokens", t.vision_encoder, t.vision);
  json.member("tiles", static_cast<double>(t.tiles));
  if (t.frames) json.member("frames", static_cast<double>(*t.frames));
  if (t.resized) {
    json.raw("resized", "[" + std::to_string(t.resized->width) + ", " +
                            std::to_string(t.resized->height) + "]");
  } else {
    json.null("resized");
  }
  json.member("encoder_sequence", as_number(t.encoder_sequence));
  json.member("rule", t.rule);
  json.member("source", t.source);
  json.end_object();
}

void write_distribution(JsonWriter& json, std::string_view key,
                        const std::optional<TokenDistribution>& distribution) {
  if (!distribution) {
    json.null(key);
    return;
  }
  json.begin_object(key);
  json.member("min", static_cast<double>(distribution->min));
  json.member("median", static_cast<double>(distribution->median));
  json.member("p90", static_cast<double>(distribution->p90));
  json.member("max", static_cast<double>(distribution->max));
  json.member("mean", distribution->mean);
  json.end_object();
}

void begin(JsonWriter& json) {
  json.begin_object();
  write_versions(json);
  json.begin_array("items");
}

// What follows the items.
void end(JsonWriter& json, const TokenReport& report) {
  json.end_array();
  const bool summed = !report.comparison;
  write_tokens(json, "total", summed ? report.totals.vision_encoder : std::nullopt,
               summed ? Tokens(report.totals.vision) : std::nullopt);
  if (summed) json.member("inputs", static_cast<double>(report.totals.inputs));
  if (report.sets) {
    json.begin_object("distribution");
    write_distribution(json, "vision_encoder", report.totals.encoder_distribution);
    write_distribution(json, "vision", report.totals.vision_distribution);
    json.end_object();
  }
  json.begin_array("skipped");
  for (const SkippedInput& skipped : report.skipped) {
    json.begin_object();
    json.member("input", skipped.input);
    json.member("reason", skipped.reason);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string tokens_json(const TokenReport& report, bool items) {
  std::string out;
  JsonWriter json(out);
  begin(json);
  if (items) {
    for (const TokenItem& item : report.items) write_item(json, item);
  }
  end(json, report);
  return out + '\n';
}

struct TokenStream::Document {
  Document(Format format_, std::function<void(std::string_view)> write_)
      : format(format_), write(std::move(write_)), json(out) {}

  void flush(std::size_t above) {
    if (out.size() <= above) return;
    write(out);
    out.clear();
  }

  // The header of a CSV stands once.
  void render_rows() {
    const Table table = token_rows(rows);
    if (format == Format::jsonl) {
      out += to_jsonl(table);
    } else {
      const std::string text = to_csv(table);
      out += headed ? std::string_view(text).substr(text.find('\n') + 1) : std::string_view(text);
    }
    headed = true;
    rows.clear();
  }

  Format format;
  std::function<void(std::string_view)> write;
  std::string out;
  JsonWriter json;
  std::vector<TokenItem> rows;
  bool headed = false;
};

TokenStream::TokenStream(Format format, std::function<void(std::string_view)> write)
    : document_(std::make_unique<Document>(format, std::move(write))) {
  if (format == Format::json) begin(document_->json);
}

TokenStream::~TokenStream() = default;

void TokenStream::add(const TokenItem& item) {
  if (document_->format == Format::json) {
    write_item(document_->json, item);
  } else {
    document_->rows.push_back(item);
    if (document_->rows.size() >= kHeldItems) document_->render_rows();
  }
  document_->flush(kHeldBytes);
}

void TokenStream::finish(const TokenReport& report) {
  if (document_->format == Format::json) {
    end(document_->json, report);
    document_->out += '\n';
  } else if (!document_->rows.empty() || !document_->headed) {
    document_->render_rows();
  }
  document_->flush(0);
}

}  // namespace trcost
