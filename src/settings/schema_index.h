// Finds the identifiers in a schema document ($id, $anchor, …), and what a reference leads to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/json.h"

namespace helve::settings {

// A part of the document with an identifier of its own; the first is the document itself.
struct SchemaResource {
  std::string uri = {};
  const Json* root = nullptr;
  bool ignores_siblings = false;  // before draft 2019-09, the keywords beside $ref do not count
};

struct SchemaTarget {
  const Json* schema = nullptr;
  std::size_t resource = 0;
  std::optional<std::string> dynamic_anchor = {};  // the name, if it was found by a $dynamicAnchor
};

class SchemaIndex {
 public:
  // The document must outlive the index.
  explicit SchemaIndex(const Json& document);

  // Empty if it leads out of the document or nowhere.
  [[nodiscard]] std::optional<SchemaTarget> find(std::string_view reference, std::size_t from);
  // Of a schema that was found by walking the document or by find().
  [[nodiscard]] std::size_t resource_of(const Json& schema, std::size_t otherwise) const;
  [[nodiscard]] const SchemaResource& resource(std::size_t index) const { return resources_[index]; }
  // By resource and name.
  using Anchors = std::map<std::pair<std::size_t, std::string>, const Json*>;
  [[nodiscard]] const Anchors& dynamic_anchors() const { return dynamic_anchors_; }

 private:
  void walk(const Json& schema, std::size_t resource);
  [[nodiscard]] std::size_t enter(const Json& schema, std::size_t resource);
  void take_anchors(const Json& schema, std::size_t resource);

  std::vector<SchemaResource> resources_;
  std::map<std::string, std::size_t> by_uri_;
  std::map<const Json*, std::size_t> resource_of_;
  Anchors anchors_;
  Anchors dynamic_anchors_;
};

}  // namespace helve::settings
