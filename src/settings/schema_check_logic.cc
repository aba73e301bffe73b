// The keywords that combine schemas: references, allOf, anyOf, oneOf, not, if.
#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "settings/complaint_words.h"
#include "settings/schema_check.h"

namespace helve::settings {
namespace {

constexpr std::size_t kShownSchema = 200;

std::string shown_schema(const SchemaNode& node) { return shortened(to_text(*node.source), kShownSchema); }

// The types that a schema allows, looking through references; 0: any.
unsigned types_of(Subschema schema) {
  constexpr int kMostReferences = 8;
  for (int i = 0; i < kMostReferences && schema != nullptr; ++i) {
    if (schema->types != 0 || !schema->logic) return schema->types;
    schema = schema->logic->reference;
  }
  return 0;
}

unsigned with_integers(unsigned types) { return types & kTypeNumber ? types | kTypeInteger : types; }

const ObjectRules* object_rules(Subschema schema) {
  constexpr int kMostReferences = 8;
  for (int i = 0; i < kMostReferences && schema != nullptr; ++i) {
    if (schema->objects || !schema->logic) return schema->objects.get();
    schema = schema->logic->reference;
  }
  return nullptr;
}

// The only values that a property of the schema may have; none if there are others.
std::vector<const Json*> choices_for(Subschema schema, const std::string& property) {
  const ObjectRules* rules = object_rules(schema);
  if (rules == nullptr) return {};
  const auto found = rules->properties.find(property);
  if (found == rules->properties.end()) return {};
  if (found->second->only != nullptr) return {found->second->only};
  std::vector<const Json*> choices;
  if (found->second->choices != nullptr)
    for (const Json& choice : *found->second->choices) choices.push_back(&choice);
  return choices;
}

bool is_among(const std::vector<const Json*>& choices, const Json& value) {
  return std::ranges::any_of(choices, [&](const Json* choice) { return *choice == value; });
}

// A property by whose value the forms differ; empty if there is none.
std::string property_that_tells(const std::vector<Subschema>& forms) {
  const ObjectRules* first = forms.size() < 2 ? nullptr : object_rules(forms.front());
  if (first == nullptr) return {};
  for (const std::string& name : first->names)
    if (std::ranges::all_of(forms, [&](Subschema form) { return !choices_for(form, name).empty(); }))
      return name;
  return {};
}

}  // namespace

Subschema SchemaCheck::dynamic_target(const LogicRules& logic) const {
  if (logic.dynamic_anchor)
    for (const std::size_t resource : scope_) {
      const auto found = document_.dynamic_anchors.find({resource, *logic.dynamic_anchor});
      if (found != document_.dynamic_anchors.end()) return found->second;
    }
  return logic.dynamic_reference;
}

Fit SchemaCheck::in_place(const Frame& frame, Subschema schema) {
  return schema == nullptr ? Fit::kYes
                           : check(*schema, frame.value, frame.place, frame.evaluated, frame.complaints);
}

Fit SchemaCheck::check_logic(const Frame& frame) {
  const LogicRules& logic = *frame.node.logic;
  Fit fit = worse(in_place(frame, logic.reference), in_place(frame, dynamic_target(logic)));
  for (const Subschema each : logic.all_of) {
    if (is_settled(frame, fit)) return fit;
    fit = worse(fit, in_place(frame, each));
  }
  if (is_settled(frame, fit)) return fit;
  if (!logic.any_of.empty()) fit = worse(fit, check_any_of(frame, logic.any_of));
  if (!logic.one_of.empty()) fit = worse(fit, check_one_of(frame, logic.one_of));
  if (logic.never != nullptr) {
    const Fit inner = check(*logic.never, frame.value, frame.place, nullptr, nullptr);
    if (inner == Fit::kYes) return refuse(frame, concat("must not fit ", shown_schema(*logic.never)));
    if (inner == Fit::kMaybe) fit = worse(fit, Fit::kMaybe);
  }
  if (logic.condition != nullptr) fit = worse(fit, check_condition(frame, logic));
  return fit;
}

Fit SchemaCheck::check_any_of(const Frame& frame, const std::vector<Subschema>& forms) {
  Fit best = Fit::kNo;
  for (const Subschema form : forms) {
    best = std::max(best, check(*form, frame.value, frame.place, frame.evaluated, nullptr));
    // Others matter only for what they evaluate.
    if (best == Fit::kYes && frame.evaluated == nullptr) break;
  }
  return best == Fit::kNo ? refuse_forms(frame, forms) : best;
}

Fit SchemaCheck::check_one_of(const Frame& frame, const std::vector<Subschema>& forms) {
  bool uncertain = false;
  std::vector<std::string> fitting;
  for (std::size_t i = 0; i < forms.size() && fitting.size() < 2; ++i) {
    const Fit fit = check(*forms[i], frame.value, frame.place, frame.evaluated, nullptr);
    uncertain = uncertain || fit == Fit::kMaybe;
    if (fit == Fit::kYes) fitting.push_back(concat(i + 1));
  }
  if (fitting.size() > 1)
    return refuse(frame, concat("must fit exactly one of ", forms.size(), " forms, but fits forms ",
                                enumerate(fitting), ": ", shown_schema(*forms[std::stoul(fitting[0]) - 1]),
                                " and ", shown_schema(*forms[std::stoul(fitting[1]) - 1])));
  if (uncertain) return Fit::kMaybe;
  return fitting.empty() ? refuse_forms(frame, forms) : Fit::kYes;
}

Fit SchemaCheck::check_condition(const Frame& frame, const LogicRules& logic) {
  const Fit condition = check(*logic.condition, frame.value, frame.place, frame.evaluated, nullptr);
  if (condition == Fit::kYes) return in_place(frame, logic.then);
  if (condition == Fit::kNo) return in_place(frame, logic.otherwise);
  const auto fits = [&](Subschema schema) {
    return schema == nullptr ? Fit::kYes : check(*schema, frame.value, frame.place, frame.evaluated, nullptr);
  };
  const Fit then = fits(logic.then);
  return then == fits(logic.otherwise) && then == Fit::kNo ? in_place(frame, logic.then) : Fit::kMaybe;
}

// Explains why a value fits none of the forms: by the form that was most likely meant.
Fit SchemaCheck::refuse_forms(const Frame& frame, const std::vector<Subschema>& forms) {
  if (frame.complaints == nullptr) return Fit::kNo;
  const unsigned type = type_of(frame.value);
  std::vector<Subschema> likely;
  unsigned types = 0;
  for (const Subschema form : forms) {
    const unsigned of_form = types_of(form);
    types |= of_form == 0 ? ~0U : of_form;
    if (of_form == 0 || (of_form & type) != 0) likely.push_back(form);
  }
  if (likely.empty()) {
    SchemaNode merged;
    merged.types = with_integers(types);
    if ((types & kTypeNumber) == 0) merged.types = types;
    return refuse_type({merged, frame.value, frame.place, nullptr, frame.complaints});
  }
  const bool all_choices = std::ranges::all_of(
      likely, [](Subschema form) { return form->only != nullptr || form->choices != nullptr; });
  if (all_choices) {
    JsonArray choices;
    for (const Subschema form : likely) {
      if (form->only != nullptr) choices.push_back(*form->only);
      if (form->choices != nullptr)
        choices.insert(choices.end(), form->choices->begin(), form->choices->end());
    }
    SchemaNode merged;
    merged.choices = &choices;
    return check_choices({merged, frame.value, frame.place, nullptr, frame.complaints});
  }
  if (const std::string name = property_that_tells(likely); !name.empty()) {
    const Json* value = frame.value.find(name);
    std::vector<Subschema> told;
    JsonArray choices;
    for (const Subschema form : likely) {
      const auto of_form = choices_for(form, name);
      if (value != nullptr && is_among(of_form, *value)) told.push_back(form);
      for (const Json* choice : of_form) choices.push_back(*choice);
    }
    const Place place{.parent = &frame.place, .key = name};
    if (told.empty() && value != nullptr) {
      SchemaNode merged;
      merged.choices = &choices;
      return check_choices({merged, *value, place, nullptr, frame.complaints});
    }
    if (!told.empty()) likely = std::move(told);
  }
  // The form with the fewest problems.
  std::vector<Complaint> fewest;
  Subschema closest = likely.front();
  for (const Subschema form : likely) {
    std::vector<Complaint> complaints;
    check(*form, frame.value, frame.place, nullptr, &complaints);
    if (!complaints.empty() && (fewest.empty() || complaints.size() < fewest.size())) {
      fewest = std::move(complaints);
      closest = form;
    }
  }
  if (fewest.empty()) return refuse(frame, concat("fits none of the ", forms.size(), " allowed forms"));
  const auto number = std::ranges::find(forms, closest) - forms.begin() + 1;
  for (Complaint& complaint : fewest) {
    if (likely.size() > 1)
      complaint.problem += concat(" (in form ", number, " of ", forms.size(), ", the closest)");
    refuse_at(frame, std::move(complaint.path), std::move(complaint.problem));
  }
  return Fit::kNo;
}

}  // namespace helve::settings
