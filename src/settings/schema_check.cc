#include "settings/schema_check.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "settings/complaint_words.h"
#include "settings/schema_values.h"

namespace helve::settings {
namespace {

constexpr std::size_t kMostSteps = 2'000'000;
constexpr std::size_t kDeepestCheck = 600;
constexpr std::size_t kMostComplaints = 50;

}  // namespace

std::string Place::path() const {
  if (parent == nullptr) return {};
  if (is_element) return concat(parent->path(), "[", index, "]");
  return member_path(parent->path(), shortened(key, 100));
}

void Evaluated::add(const Evaluated& other) {
  for (std::size_t i = 0; i < other.known.size() && i < known.size(); ++i)
    if (other.known[i]) known[i] = true;
  uncertain = uncertain || other.uncertain;
}

unsigned type_of(const Json& value) {
  if (value.is_null()) return kTypeNull;
  if (value.is_bool()) return kTypeBoolean;
  if (value.is_number()) return is_whole(value) ? kTypeInteger | kTypeNumber : kTypeNumber;
  if (value.is_string()) return kTypeString;
  return value.is_array() ? kTypeArray : kTypeObject;
}

std::string words_for_types(unsigned types) {
  std::vector<std::string> words;
  if (types & kTypeString) words.emplace_back("a string");
  if (types & kTypeNumber)
    words.emplace_back("a number");
  else if (types & kTypeInteger)
    words.emplace_back("a whole number");
  if (types & kTypeBoolean) words.emplace_back("true or false");
  if (types & kTypeArray) words.emplace_back("an array");
  if (types & kTypeObject) words.emplace_back("an object");
  if (types & kTypeNull) words.emplace_back("null");
  return enumerate(words, " or ");
}

// Enters the schema's resource for as long as it is evaluated.
class SchemaCheck::Scope {
 public:
  Scope(SchemaCheck& check, const SchemaNode& node)
      : check_(check), pushes_(check.scope_.empty() || check.scope_.back() != node.resource) {
    ++check_.depth_;
    if (pushes_) check_.scope_.push_back(node.resource);
  }
  ~Scope() {
    --check_.depth_;
    if (pushes_) check_.scope_.pop_back();
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  SchemaCheck& check_;
  const bool pushes_;
};

bool SchemaCheck::spend(std::size_t steps) {
  steps_ += steps;
  if (steps_ > kMostSteps) exhausted_ = true;
  return !exhausted_;
}

Fit SchemaCheck::check(const SchemaNode& node, const Json& value, const Place& place, Evaluated* evaluated,
                       std::vector<Complaint>* complaints) {
  // A schema that refers to itself without an end is cut off here, too.
  if (depth_ >= kDeepestCheck) exhausted_ = true;
  if (!spend(1)) return Fit::kMaybe;
  if (node.constant) {
    if (*node.constant) return Fit::kYes;
    return refuse({node, value, place, nullptr, complaints}, "is not allowed here; remove it");
  }
  const Scope scope(*this, node);
  Evaluated own;
  const bool tracks = document_.tracks_evaluation && (value.is_array() || value.is_object());
  if (tracks) {
    own.known.resize(value.is_array() ? value.as_array().size() : value.as_object().size());
    if (!spend(own.known.size() / 16)) return Fit::kMaybe;
  }
  const Fit fit = check_value({node, value, place, tracks ? &own : nullptr, complaints});
  if (evaluated != nullptr && fit != Fit::kNo) {
    own.uncertain = own.uncertain || fit == Fit::kMaybe;
    evaluated->add(own);
  }
  return fit;
}

Fit SchemaCheck::check_value(const Frame& frame) {
  const SchemaNode& node = frame.node;
  if (node.types != 0 && (node.types & type_of(frame.value)) == 0) return refuse_type(frame);
  Fit fit = node.doubtful ? Fit::kMaybe : Fit::kYes;
  if (node.doubtful && frame.evaluated != nullptr) frame.evaluated->uncertain = true;
  const auto goes_on = [&](Fit part) {
    fit = worse(fit, part);
    return !is_settled(frame, fit);
  };
  if ((node.choices != nullptr || node.only != nullptr) && !goes_on(check_choices(frame))) return fit;
  if (node.numbers && frame.value.is_number() && !goes_on(check_numbers(frame, *node.numbers))) return fit;
  if (frame.value.is_string()) {
    if (const std::string& text = frame.value.as_string(); !is_valid_utf8(text))
      return refuse(frame, concat("is not valid UTF-8 (byte ", find_invalid_utf8(text) + 1, ")"));
    if (node.strings && !goes_on(check_strings(frame, *node.strings))) return fit;
  }
  if (node.logic && !goes_on(check_logic(frame))) return fit;
  if (node.arrays && frame.value.is_array()) static_cast<void>(goes_on(check_array(frame, *node.arrays)));
  if (node.objects && frame.value.is_object()) static_cast<void>(goes_on(check_object(frame, *node.objects)));
  return fit;
}

bool SchemaCheck::is_settled(const Frame& frame, Fit fit) {
  return fit == Fit::kNo && (frame.complaints == nullptr || frame.complaints->size() >= kMostComplaints);
}

Fit SchemaCheck::refuse_at(const Frame& frame, std::string path, std::string problem) const {
  if (frame.complaints != nullptr && frame.complaints->size() < kMostComplaints) {
    Complaint complaint{std::move(path), std::move(problem)};
    // Several parts of a schema may require the same.
    if (std::ranges::find(*frame.complaints, complaint) == frame.complaints->end())
      frame.complaints->push_back(std::move(complaint));
  }
  return Fit::kNo;
}

Fit SchemaCheck::refuse(const Frame& frame, std::string problem) const {
  return frame.complaints == nullptr ? Fit::kNo : refuse_at(frame, frame.place.path(), std::move(problem));
}

Fit SchemaCheck::refuse_type(const Frame& frame) const {
  if (frame.complaints == nullptr) return Fit::kNo;
  const unsigned types = frame.node.types;
  std::string problem = concat("must be ", words_for_types(types), ", but is ", shown(frame.value));
  if (frame.value.is_null() && frame.place.parent != nullptr && !frame.place.is_element)
    problem += "; omit it instead";
  if (frame.value.is_string()) {
    const std::string_view text = trim(frame.value.as_string());
    const bool scalar = (types & (kTypeBoolean | kTypeInteger | kTypeNumber)) != 0;
    if (scalar || ((types & kTypeArray) && text.starts_with('[')) ||
        ((types & kTypeObject) && text.starts_with('{')))
      problem += "; write it without the quotes";
    else if (types & kTypeArray)
      problem += concat("; write it as ", list_written_as(text));
  }
  return refuse(frame, std::move(problem));
}

Fit SchemaCheck::check_choices(const Frame& frame) {
  const JsonArray* choices = frame.node.choices;
  const std::size_t size = size_up_to(frame.value, kMostSteps);
  if (frame.node.only != nullptr) {
    if (!spend(size)) return Fit::kMaybe;
    if (*frame.node.only != frame.value)
      return refuse(frame, concat("must be ", shortened(to_text(*frame.node.only), 200), ", but is ",
                                  shown(frame.value)));
  }
  if (choices == nullptr) return Fit::kYes;
  for (const Json& choice : *choices) {
    if (!spend(choice.type_name() == frame.value.type_name() ? size : 1)) return Fit::kMaybe;
    if (choice == frame.value) return Fit::kYes;
  }
  if (frame.complaints == nullptr) return Fit::kNo;
  std::vector<std::string> names;
  const bool all_text = std::ranges::all_of(*choices, [](const Json& each) { return each.is_string(); });
  for (const Json& choice : *choices)
    names.push_back(shortened(all_text ? choice.as_string() : to_text(choice), 200));
  return refuse(frame, not_a_choice(names, frame.value));
}

Fit SchemaCheck::check_numbers(const Frame& frame, const NumberRules& rules) const {
  const Json& value = frame.value;
  const auto below = [&](const Json* bound) {
    return bound != nullptr && compare_numbers(value, *bound) < 0;
  };
  const auto above = [&](const Json* bound) {
    return bound != nullptr && compare_numbers(value, *bound) > 0;
  };
  Fit fit = Fit::kYes;
  const auto wrong = [&](const auto&... words) {
    if (frame.complaints == nullptr)
      fit = Fit::kNo;
    else
      fit = refuse(frame, concat("must ", words..., ", but is ", shown(value)));
  };
  if (below(rules.minimum) || above(rules.maximum)) {
    if (rules.minimum != nullptr && rules.maximum != nullptr)
      wrong("lie between ", to_text(*rules.minimum), " and ", to_text(*rules.maximum));
    else if (rules.minimum != nullptr)
      wrong("be at least ", to_text(*rules.minimum));
    else
      wrong("be at most ", to_text(*rules.maximum));
  }
  if (rules.above != nullptr && !above(rules.above)) wrong("be greater than ", to_text(*rules.above));
  if (rules.below != nullptr && !below(rules.below)) wrong("be less than ", to_text(*rules.below));
  if (rules.multiple_of != nullptr && !is_multiple(value, *rules.multiple_of))
    wrong("be a multiple of ", to_text(*rules.multiple_of));
  return fit;
}

Fit SchemaCheck::matches(const SchemaPattern& pattern, const std::string& text) {
  if (!pattern.compiled || !spend(16 + text.size() / 16)) return Fit::kMaybe;
  return regex::Finder(*pattern.compiled).matches(text) ? Fit::kYes : Fit::kNo;
}

Fit SchemaCheck::check_strings(const Frame& frame, const StringRules& rules) {
  const std::string& text = frame.value.as_string();
  Fit fit = Fit::kYes;
  const std::size_t length = rules.min_length || rules.max_length ? count_characters(text) : 0;
  if (rules.min_length && length < *rules.min_length)
    fit = refuse(frame, text.empty() ? "must not be empty"
                                     : concat("must have at least ", count_of(*rules.min_length, "character"),
                                              ", but has ", length));
  if (rules.max_length && length > *rules.max_length)
    fit = refuse(
        frame, concat("must have at most ", count_of(*rules.max_length, "character"), ", but has ", length));
  if (!rules.pattern) return fit;
  const Fit matched = matches(*rules.pattern, text);
  if (matched == Fit::kNo)
    return refuse(frame, concat("must match ", rules.pattern->text, ", but is ", shown(frame.value)));
  return worse(fit, matched);
}

}  // namespace helve::settings
