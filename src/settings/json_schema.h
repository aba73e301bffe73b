// Checks values against JSON Schemas that other programs wrote: draft 2020-12, and what older drafts write
// differently.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helve/params.h"

namespace helve::settings {

struct SchemaDocument;

// A schema that was read once. Immutable, cheap to copy, usable from all threads.
//
// Reading never fails. A rule that cannot be decided (a reference to another document, a pattern that needs
// look-around, a malformed keyword) neither accepts nor refuses a value; doubts() names it. The work is
// bounded for every schema and value; a check that exceeds the bound refuses nothing. `format`, `default` and
// the like are annotations.
class JsonSchema {
 public:
  explicit JsonSchema(Json schema);

  // All problems of the value; none if it is valid or cannot be decided. `noun` is the word for a member.
  [[nodiscard]] std::vector<Complaint> check(const Json& value, std::string_view noun = "parameter") const;
  // Adds members that the schema requires, that are missing, and for which it has a default.
  void fill_in_defaults(Json& value) const;
  [[nodiscard]] const std::vector<std::string>& doubts() const;

 private:
  std::shared_ptr<const SchemaDocument> document_;
};

}  // namespace helve::settings
