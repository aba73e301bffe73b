// Evaluates a schema document on a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/params.h"
#include "settings/schema_node.h"

namespace helve::settings {

// Whether a value fits a schema. kMaybe: it cannot be decided.
enum class Fit { kNo, kMaybe, kYes };

[[nodiscard]] inline Fit worse(Fit left, Fit right) { return left < right ? left : right; }

// Where a value is within the arguments.
struct Place {
  const Place* parent = nullptr;
  std::string_view key = {};
  std::size_t index = 0;
  bool is_element = false;

  [[nodiscard]] std::string path() const;
};

// The members or elements of one value that keywords have evaluated.
struct Evaluated {
  std::vector<bool> known = {};
  bool uncertain = false;  // some keyword could not be decided

  void add(const Evaluated& other);
};

// One evaluation. Not thread-safe; the document must outlive it.
class SchemaCheck {
 public:
  SchemaCheck(const SchemaDocument& document, std::string_view noun) : document_(document), noun_(noun) {}

  // `evaluated` and `complaints` may be null.
  Fit check(const SchemaNode& node, const Json& value, const Place& place, Evaluated* evaluated,
            std::vector<Complaint>* complaints);

 private:
  class Scope;
  // One value and one schema.
  struct Frame {
    const SchemaNode& node;
    const Json& value;
    const Place& place;
    Evaluated* evaluated;
    std::vector<Complaint>* complaints;
  };

  // False once the work has reached its bound; then nothing more is decided.
  [[nodiscard]] bool spend(std::size_t steps);
  // Whether the rest of a check can change nothing: complaints are not wanted, or there are enough.
  [[nodiscard]] static bool is_settled(const Frame& frame, Fit fit);
  Fit check_value(const Frame& frame);
  Fit refuse(const Frame& frame, std::string problem) const;
  Fit refuse_at(const Frame& frame, std::string path, std::string problem) const;
  Fit refuse_type(const Frame& frame) const;
  Fit check_choices(const Frame& frame);

  // In schema_check_logic.cc.
  // The schema that a $dynamicRef means at this point of the evaluation.
  [[nodiscard]] Subschema dynamic_target(const LogicRules& logic) const;
  Fit in_place(const Frame& frame, Subschema schema);
  Fit check_logic(const Frame& frame);
  Fit check_any_of(const Frame& frame, const std::vector<Subschema>& forms);
  Fit check_one_of(const Frame& frame, const std::vector<Subschema>& forms);
  Fit check_condition(const Frame& frame, const LogicRules& logic);
  Fit refuse_forms(const Frame& frame, const std::vector<Subschema>& forms);

  Fit check_numbers(const Frame& frame, const NumberRules& rules) const;
  Fit check_strings(const Frame& frame, const StringRules& rules);
  [[nodiscard]] Fit matches(const SchemaPattern& pattern, const std::string& text);

  // In schema_check_parts.cc.
  Fit check_array(const Frame& frame, const ArrayRules& rules);
  Fit check_elements(const Frame& frame, const ArrayRules& rules);
  Fit check_contains(const Frame& frame, const ArrayRules& rules);
  Fit check_object(const Frame& frame, const ObjectRules& rules);
  Fit check_members(const Frame& frame, const ObjectRules& rules);
  Fit check_required(const Frame& frame, const ObjectRules& rules);
  Fit check_dependents(const Frame& frame, const ObjectRules& rules);
  Fit check_unevaluated(const Frame& frame, Subschema schema);
  Fit refuse_unknown(const Frame& frame, const ObjectRules& rules, const JsonObject::Member& member);

  const SchemaDocument& document_;
  const std::string_view noun_;
  std::size_t steps_ = 0;
  std::size_t depth_ = 0;
  bool exhausted_ = false;
  std::vector<std::size_t> scope_ = {};  // the resources that are being evaluated, outermost first
};

[[nodiscard]] unsigned type_of(const Json& value);
// "a string or null"
[[nodiscard]] std::string words_for_types(unsigned types);

}  // namespace helve::settings
