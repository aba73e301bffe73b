// Collects the parameters that a struct describes.
#include "helve/params.h"

namespace helve {

void ParamSpec::collect(std::string_view name, std::string_view description, const Bounds& bounds,
                        bool required, ParamType type, std::optional<Json> default_value) {
  using Kind = ParamType::Kind;
  if (type.kind == Kind::kInteger || type.kind == Kind::kNumber) {
    type.min = bounds.min;
    type.max = bounds.max;
  }
  if (type.kind == Kind::kString || type.kind == Kind::kArray) {
    type.min_length = bounds.min_length;
    type.max_length = bounds.max_length;
  }
  if (type.kind == Kind::kString) {
    type.pattern = bounds.pattern;
    type.whole_text = bounds.whole_text;
  }
  // An empty default ("", [], null) would only cost the model tokens.
  if (default_value) {
    const bool says_nothing = default_value->is_null() ||
                              (default_value->is_string() && default_value->as_string().empty()) ||
                              (default_value->is_array() && default_value->as_array().empty()) ||
                              (default_value->is_object() && default_value->as_object().empty());
    if (says_nothing) default_value.reset();
  }
  found_->push_back(
      {std::string(name), std::string(description), required, std::move(default_value), std::move(type)});
}

}  // namespace helve
