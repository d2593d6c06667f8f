// SPDX-License-Identifier: Apache-2.0
#include "catalog/data/data_file.h"

#include <algorithm>

#include "json/flat_json.h"

namespace trcost::catalog {

const EmbeddedFile* find_embedded_file(std::string_view path) {
  const auto files = embedded_files();
  const auto found = std::ranges::lower_bound(files, path, {}, &EmbeddedFile::path);
  return found != files.end() && found->path == path ? &*found : nullptr;
}

JsonValue parse_data_file(std::string_view text, std::string_view path, std::string_view origin) {
  const EmbeddedFile* built_in = find_embedded_file(path);
  if (built_in == nullptr || built_in->begin != text.data()) return parse_strict_json(text, origin);
  return read_in_place(packed_document(embedded_pack(), built_in->document), origin);
}

JsonValue read_data_file(const DataFolder& data, std::string_view path) {
  return parse_data_file(data.file(path), path, data.origin(path));
}

}  // namespace trcost::catalog
