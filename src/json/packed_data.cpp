// SPDX-License-Identifier: Apache-2.0
#include "json/packed_data.h"

#include <cstddef>

namespace trcost::json {

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
