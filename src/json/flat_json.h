// SPDX-License-Identifier: Apache-2.0
// A JSON document as one array of nodes and one run of text. The strict parser fills it for a
// user's file; the build does so once for each file of data/ and stores the bytes in the library,
// where they are read in place. Program and pack are built from the same sources, in the byte order
// of the machine, so nothing is checked again at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::json {

/// Deepest nesting of arrays and objects that is read.
inline constexpr std::size_t kDeepestJson = 64;

/// One value, followed by the nodes of its contents. Has no padding, because its bytes are stored.
struct FlatNode {
  enum class Kind : std::uint8_t { null, boolean, number, text, array, object };

  std::uint64_t value = 0;  ///< bits of a number; 1 for true; where a text starts; of an array or
                            ///< object the node behind its last one
  std::uint32_t key = 0;    ///< where the name starts, for a member of an object
  std::uint32_t key_size = 0;  ///< bytes of the name
  std::uint32_t size = 0;      ///< bytes of a text; members of an array or object
  Kind kind = Kind::null;
  std::uint8_t controls = 0;  ///< of a text: 1 where it holds what is unprintable
  std::uint16_t unused = 0;
};
static_assert(sizeof(FlatNode) == 24);

/// A view of a document. Nodes are numbered, the root is 0.
class FlatJson {
 public:
  using Index = std::uint32_t;
  /// No such node.
  static constexpr Index kNone = ~Index{0};

  FlatJson(const FlatNode* nodes, const char* strings) : nodes_(nodes), strings_(strings) {}

  [[nodiscard]] const FlatNode& node(Index at) const { return nodes_[at]; }
  [[nodiscard]] std::string_view key(Index at) const {
    return {strings_ + nodes_[at].key, nodes_[at].key_size};
  }
  [[nodiscard]] std::string_view text(Index at) const {
    return {strings_ + nodes_[at].value, nodes_[at].size};
  }
  [[nodiscard]] double number(Index at) const;
  /// The node behind `at` and its contents: its next sibling, or its parent's end.
  [[nodiscard]] Index next(Index at) const {
    const FlatNode& node = nodes_[at];
    return node.kind >= FlatNode::Kind::array ? static_cast<Index>(node.value) : at + 1;
  }
  /// RFC 6901 pointer from the root to a node, empty for the root.
  [[nodiscard]] std::string pointer(Index at) const;

 private:
  const FlatNode* nodes_;
  const char* strings_;
};

/// A document with its storage.
struct FlatDocument {
  std::vector<FlatNode> nodes;
  std::string strings;

  [[nodiscard]] FlatJson view() const { return {nodes.data(), strings.data()}; }
};

/// Parses all of `text`. parse_strict_json() in strict_json.h says what is refused.
FlatDocument parse_flat_json(std::string_view text, std::string_view origin);

/// Position of one document, in bytes from the start of the pack, which begins with a table of
/// these.
struct PackedDocument {
  std::uint64_t nodes = 0;
  std::uint64_t strings = 0;
};

/// The bytes of a pack. It has to be aligned as FlatNode is.
std::string pack_documents(const std::vector<FlatDocument>& documents);

/// The document at `position` of the pack that starts at `pack`.
FlatJson packed_document(const char* pack, std::size_t position);

}  // namespace trcost::json
