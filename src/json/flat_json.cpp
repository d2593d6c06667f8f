// SPDX-License-Identifier: Apache-2.0
#include "json/flat_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "text/files.h"
#include "text/unicode.h"
#include "trcost/error.h"

namespace trcost::json {
namespace {

// RFC 6901: ~ and / are escaped within a token.
void append_token(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

using nlohmann::json;

constexpr std::size_t kQuoted = 160;  // bytes of a name or reason in a message

constexpr std::string_view kSizeHint =
    "trcost reads models, scenarios and catalog entries. Is this the right file?";

// Different keys of a document; a list of quantized modules has ten thousands.
constexpr std::size_t kMostKeys = 100'000;

// Builds the document and refuses what JSON leaves open: repeated keys, unlimited depth and
// number of keys.
class StrictBuilder : public nlohmann::json_sax<json> {
 public:
  StrictBuilder(FlatDocument& out, std::string_view text, std::string_view origin)
      : out_(out), text_(text), origin_(origin) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override {
    return add({.value = value ? 1u : 0u, .kind = FlatNode::Kind::boolean});
  }
  bool number_integer(std::int64_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(std::uint64_t value) override { return number(static_cast<double>(value)); }
  bool number_float(double value, const std::string&) override { return number(value); }
  bool string(std::string& value) override {
    const bool controls = first_unprintable(value).has_value();
    const std::size_t place = out_.strings.size();
    out_.strings += value;
    return add({.value = place,
                .size = static_cast<std::uint32_t>(value.size()),
                .kind = FlatNode::Kind::text,
                .controls = controls ? std::uint8_t{1} : std::uint8_t{0}});
  }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    members_.emplace_back();
    return open(FlatNode::Kind::object);
  }
  bool start_array(std::size_t) override { return open(FlatNode::Kind::array); }
  bool end_object() override {
    members_.pop_back();
    return close();
  }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    const auto [known, fresh] =
        names_.emplace(name, static_cast<std::uint32_t>(out_.strings.size()));
    if (names_.size() > kMostKeys) refuse(fmt::format("more than {} different keys", kMostKeys));
    if (fresh) (out_.strings += name) += '\0';  // no two names start at one place, "" included
    key_ = known->second;
    key_size_ = static_cast<std::uint32_t>(name.size());
    if (!members_.back().insert(key_).second) {
      throw Error(ErrorKind::data,
                  fmt::format("the key \"{}\" stands twice in the same object",
                              printable(name.substr(0, kQuoted))),
                  "remove one of the two. Which one counts would be a guess", std::string(origin_));
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const json::exception& error) override {
    std::string why = error.what();
    if (error.id == 406) {
      why = "a number is outside the range of a double (about 1.8e308)";
    } else if (const std::size_t detail = why.find("syntax error"); detail != std::string::npos) {
      why = why.substr(detail);
    }
    if (why.find("unexpected end of input") != std::string::npos) {
      why = "the file ends in the middle of a value";
    }
    throw Error(ErrorKind::data,
                fmt::format("not valid JSON at {}: {}",
                            line_and_column(text_, std::min(std::max<std::size_t>(position, 1) - 1,
                                                            text_.size())),
                            printable(why.substr(0, kQuoted))),
                "check the file with a JSON editor. Comments and trailing commas are not allowed",
                std::string(origin_));
  }

 private:
  [[noreturn]] void refuse(std::string message) const {
    throw Error(ErrorKind::data, std::move(message), std::string(kSizeHint), std::string(origin_));
  }

  bool number(double value) {
    return add({.value = std::bit_cast<std::uint64_t>(value), .kind = FlatNode::Kind::number});
  }

  bool add(FlatNode node) {
    if (!open_.empty()) {
      FlatNode& parent = out_.nodes[open_.back()];
      ++parent.size;
      if (parent.kind == FlatNode::Kind::object) {
        node.key = key_;
        node.key_size = key_size_;
      }
    }
    out_.nodes.push_back(node);
    return true;
  }

  bool open(FlatNode::Kind kind) {
    if (open_.size() >= kDeepestJson) {
      refuse(fmt::format("nested deeper than {} levels", kDeepestJson));
    }
    add({.kind = kind});
    open_.push_back(static_cast<std::uint32_t>(out_.nodes.size() - 1));
    return true;
  }

  bool close() {
    out_.nodes[open_.back()].value = out_.nodes.size();
    open_.pop_back();
    return true;
  }

  FlatDocument& out_;
  std::string_view text_;
  std::string_view origin_;
  std::uint32_t key_ = 0;
  std::uint32_t key_size_ = 0;
  std::vector<std::uint32_t> open_;
  std::unordered_map<std::string, std::uint32_t> names_;    // each name is stored once
  std::vector<std::unordered_set<std::uint32_t>> members_;  // names of each open object
};

}  // namespace

double FlatJson::number(Index at) const {
  return std::bit_cast<double>(nodes_[at].value);
}

std::string FlatJson::pointer(Index at) const {
  std::string pointer;
  Index here = 0;
  while (here != at) {
    const bool in_object = nodes_[here].kind == FlatNode::Kind::object;
    std::size_t position = 0;
    Index child = here + 1;
    for (; next(child) <= at; child = next(child)) ++position;
    append_token(pointer, in_object ? key(child) : std::to_string(position));
    here = child;
  }
  return pointer;
}

FlatDocument parse_flat_json(std::string_view text, std::string_view origin) {
  if (text.size() > kLargestFile) {
    throw Error(ErrorKind::data,
                fmt::format("{} bytes are more than the {} MiB that a file may have", text.size(),
                            kLargestFile >> 20),
                std::string(kSizeHint), std::string(origin));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorKind::data, "the file is empty", "it has to hold one JSON object",
                std::string(origin));
  }
  FlatDocument document;
  StrictBuilder builder(document, text, origin);
  json::sax_parse(text.begin(), text.end(), &builder);
  return document;
}

std::string pack_documents(const std::vector<FlatDocument>& documents) {
  std::vector<PackedDocument> table;
  std::uint64_t end = documents.size() * sizeof(PackedDocument);
  for (const FlatDocument& document : documents) {
    const std::uint64_t strings = end + document.nodes.size() * sizeof(FlatNode);
    table.push_back({end, strings});
    const std::uint64_t unaligned = strings + document.strings.size();
    end = (unaligned + alignof(FlatNode) - 1) / alignof(FlatNode) * alignof(FlatNode);
  }
  std::string out;
  out.reserve(end);
  const auto append = [&](const auto& values) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  };
  append(table);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    append(documents[i].nodes);
    append(documents[i].strings);
    out.resize(i + 1 < documents.size() ? table[i + 1].nodes : end);
  }
  return out;
}

FlatJson packed_document(const char* pack, std::size_t position) {
  const PackedDocument& at = reinterpret_cast<const PackedDocument*>(pack)[position];
  return {reinterpret_cast<const FlatNode*>(pack + at.nodes), pack + at.strings};
}

}  // namespace trcost::json
