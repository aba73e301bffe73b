// The keywords for the elements of arrays and the members of objects.
#include <algorithm>

#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "settings/complaint_words.h"
#include "settings/schema_check.h"
#include "settings/schema_values.h"

namespace helve::settings {
namespace {

constexpr std::size_t kMostNames = 50;  // that a complaint lists

void mark(Evaluated* evaluated, std::size_t index) {
  if (evaluated != nullptr) evaluated->known[index] = true;
}

std::string needs_at_least(std::size_t least, std::string_view noun, std::size_t has) {
  return concat("must have at least ", count_of(least, noun), ", but has ", has);
}
std::string needs_at_most(std::size_t most, std::string_view noun, std::size_t has) {
  return concat("must have at most ", count_of(most, noun), ", but has ", has);
}

std::string missing_member(const ObjectRules& rules, const std::string& name) {
  const auto found = rules.properties.find(name);
  const std::string description =
      found == rules.properties.end() ? "" : shortened(text_in(*found->second->source, "description"), 500);
  return description.empty() ? "is missing; it is required"
                             : concat("is missing; it is required: ", description);
}

}  // namespace

Fit SchemaCheck::check_array(const Frame& frame, const ArrayRules& rules) {
  const JsonArray& array = frame.value.as_array();
  Fit fit = Fit::kYes;
  if (rules.min_items && array.size() < *rules.min_items)
    fit = refuse(frame, needs_at_least(*rules.min_items, "element", array.size()));
  if (rules.max_items && array.size() > *rules.max_items)
    fit = refuse(frame, needs_at_most(*rules.max_items, "element", array.size()));
  if (rules.unique) {
    if (!spend(size_up_to(frame.value, 4'000'000))) return Fit::kMaybe;
    if (const auto repeated = find_repeated(array))
      fit = refuse_at(frame, concat(frame.place.path(), "[", repeated->second, "]"),
                      concat("repeats element ", repeated->first, "; remove it"));
  }
  fit = worse(fit, check_elements(frame, rules));
  if (rules.contains != nullptr) fit = worse(fit, check_contains(frame, rules));
  if (rules.unevaluated != nullptr) fit = worse(fit, check_unevaluated(frame, rules.unevaluated));
  return fit;
}

Fit SchemaCheck::check_elements(const Frame& frame, const ArrayRules& rules) {
  const JsonArray& array = frame.value.as_array();
  Fit fit = Fit::kYes;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Subschema schema = i < rules.prefix.size() ? rules.prefix[i] : rules.items;
    if (schema == nullptr) break;
    const Place place{.parent = &frame.place, .index = i, .is_element = true};
    if (i >= rules.prefix.size() && schema->constant == false)
      return refuse(frame, needs_at_most(rules.prefix.size(), "element", array.size()));
    fit = worse(fit, check(*schema, array[i], place, nullptr, frame.complaints));
    if (is_settled(frame, fit)) return fit;
    mark(frame.evaluated, i);
  }
  return fit;
}

Fit SchemaCheck::check_contains(const Frame& frame, const ArrayRules& rules) {
  const JsonArray& array = frame.value.as_array();
  std::size_t certain = 0;
  std::size_t possible = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Place place{.parent = &frame.place, .index = i, .is_element = true};
    const Fit fit = check(*rules.contains, array[i], place, nullptr, nullptr);
    certain += fit == Fit::kYes ? 1 : 0;
    possible += fit != Fit::kNo ? 1 : 0;
    if (fit != Fit::kNo) mark(frame.evaluated, i);
  }
  const std::size_t least = rules.min_contains.value_or(1);
  const auto that_fit = [&] {
    return concat(" that fit ", shortened(to_text(*rules.contains->source), 200));
  };
  if (possible < least)
    return refuse(
        frame, concat("must have at least ", count_of(least, "element"), that_fit(), ", but has ", possible));
  if (rules.max_contains && certain > *rules.max_contains)
    return refuse(frame, concat("must have at most ", count_of(*rules.max_contains, "element"), that_fit(),
                                ", but has ", certain));
  const bool decided = certain >= least && (!rules.max_contains || possible <= *rules.max_contains);
  return decided ? Fit::kYes : Fit::kMaybe;
}

Fit SchemaCheck::check_object(const Frame& frame, const ObjectRules& rules) {
  const JsonObject& object = frame.value.as_object();
  Fit fit = Fit::kYes;
  if (rules.min_properties && object.size() < *rules.min_properties)
    fit = refuse(frame, needs_at_least(*rules.min_properties, "member", object.size()));
  if (rules.max_properties && object.size() > *rules.max_properties)
    fit = refuse(frame, needs_at_most(*rules.max_properties, "member", object.size()));
  const auto goes_on = [&](Fit part) {
    fit = worse(fit, part);
    return !is_settled(frame, fit);
  };
  if (!goes_on(check_required(frame, rules)) || !goes_on(check_members(frame, rules)) ||
      !goes_on(check_dependents(frame, rules)))
    return fit;
  if (rules.unevaluated != nullptr) static_cast<void>(goes_on(check_unevaluated(frame, rules.unevaluated)));
  return fit;
}

Fit SchemaCheck::check_required(const Frame& frame, const ObjectRules& rules) {
  const JsonObject& object = frame.value.as_object();
  Fit fit = Fit::kYes;
  for (const std::string& name : rules.required) {
    if (!spend(1 + object.size() / 16)) return Fit::kMaybe;
    if (object.contains(name)) continue;
    if (frame.complaints == nullptr) return Fit::kNo;
    fit =
        refuse_at(frame, member_path(frame.place.path(), shortened(name, 100)), missing_member(rules, name));
  }
  return fit;
}

Fit SchemaCheck::check_members(const Frame& frame, const ObjectRules& rules) {
  Fit fit = Fit::kYes;
  std::size_t index = 0;
  for (const JsonObject::Member& member : frame.value.as_object()) {
    const auto& [key, value] = member;
    const Place place{.parent = &frame.place, .key = key};
    const auto apply = [&](Subschema schema) {
      fit = worse(fit, check(*schema, value, place, nullptr, frame.complaints));
      mark(frame.evaluated, index);
    };
    if (rules.property_names != nullptr) {
      std::vector<Complaint> about_name;
      const Fit named = check(*rules.property_names, Json(key), {}, nullptr, &about_name);
      if (named == Fit::kNo)
        refuse_at(frame, place.path(),
                  concat("has a name that is not allowed: it ",
                         about_name.empty() ? "" : about_name.front().problem));
      fit = worse(fit, named);
    }
    bool described = false;
    bool perhaps = false;
    if (const auto property = rules.properties.find(key); property != rules.properties.end()) {
      apply(property->second);
      described = true;
    }
    for (const auto& [pattern, schema] : rules.patterns) {
      const Fit matched = matches(pattern, key);
      if (matched == Fit::kYes) apply(schema);
      described = described || matched == Fit::kYes;
      perhaps = perhaps || matched == Fit::kMaybe;
    }
    if (!described && rules.additional != nullptr) {
      if (perhaps)
        fit = worse(fit, Fit::kMaybe);
      else if (rules.additional->constant == false)
        fit = refuse_unknown(frame, rules, member);
      else
        apply(rules.additional);
    }
    if (perhaps) {
      fit = worse(fit, Fit::kMaybe);
      if (frame.evaluated != nullptr) frame.evaluated->uncertain = true;
    }
    if (is_settled(frame, fit)) return fit;
    ++index;
  }
  return fit;
}

Fit SchemaCheck::check_dependents(const Frame& frame, const ObjectRules& rules) {
  const JsonObject& object = frame.value.as_object();
  Fit fit = Fit::kYes;
  for (const auto& [name, needed] : rules.dependent_required) {
    if (!object.contains(name)) continue;
    for (const std::string& other : needed) {
      if (!spend(1 + object.size() / 16)) return Fit::kMaybe;
      if (object.contains(other)) continue;
      if (frame.complaints == nullptr) return Fit::kNo;
      fit = refuse_at(frame, member_path(frame.place.path(), shortened(other, 100)),
                      concat("is missing; it is required together with ", shortened(name, 100)));
    }
  }
  for (const auto& [name, schema] : rules.dependent_schemas) {
    if (!spend(1 + object.size() / 16)) return Fit::kMaybe;
    if (!object.contains(name)) continue;
    fit = worse(fit, check(*schema, frame.value, frame.place, frame.evaluated, frame.complaints));
  }
  return fit;
}

Fit SchemaCheck::check_unevaluated(const Frame& frame, Subschema schema) {
  Fit fit = Fit::kYes;
  Evaluated& evaluated = *frame.evaluated;
  const auto apply = [&](std::size_t index, const Json& value, const Place& place) {
    if (evaluated.known[index]) return;
    std::vector<Complaint>* const complaints = evaluated.uncertain ? nullptr : frame.complaints;
    Fit part = Fit::kNo;
    if (schema->constant == false && complaints != nullptr)
      part = refuse_at(frame, place.path(), concat("is not a known ", noun_, "; remove it"));
    else
      part = check(*schema, value, place, nullptr, complaints);
    // A rule that could not be decided may have evaluated it.
    fit = worse(fit, part == Fit::kNo && evaluated.uncertain ? Fit::kMaybe : part);
    evaluated.known[index] = true;
  };
  std::size_t index = 0;
  if (frame.value.is_array())
    for (const Json& element : frame.value.as_array()) {
      apply(index, element, {.parent = &frame.place, .index = index, .is_element = true});
      ++index;
    }
  else
    for (const auto& [key, value] : frame.value.as_object())
      apply(index++, value, {.parent = &frame.place, .key = key});
  return fit;
}

Fit SchemaCheck::refuse_unknown(const Frame& frame, const ObjectRules& rules,
                                const JsonObject::Member& member) {
  const Place place{.parent = &frame.place, .key = member.first};
  if (frame.complaints == nullptr) return Fit::kNo;
  std::vector<std::string> known(
      rules.names.begin(),
      rules.names.begin() + static_cast<std::ptrdiff_t>(std::min(rules.names.size(), kMostNames)));
  const JsonObject& object = frame.value.as_object();
  std::vector<std::string> unused;
  std::vector<std::string> missing;
  for (std::string& name : known) {
    name = shortened(name, 100);
    if (object.contains(name)) continue;
    unused.push_back(name);
    if (std::ranges::find(rules.required, name) != rules.required.end()) missing.push_back(name);
  }
  std::string meant = meant_by(shortened(member.first, 100), unused, missing);
  // One missing and one unknown member are most likely the same, if the types fit.
  const auto is_unknown = [&](const auto& each) { return !rules.properties.contains(each.first); };
  if (meant.empty() && missing.size() == 1 && std::ranges::count_if(object, is_unknown) == 1 &&
      check(*rules.properties.find(missing.front())->second, member.second, place, nullptr, nullptr) !=
          Fit::kNo)
    meant = missing.front();
  if (rules.names.size() > kMostNames) known.push_back(concat(rules.names.size() - kMostNames, " others"));
  for (const auto& [pattern, schema] : rules.patterns)
    if (known.size() < kMostNames) known.push_back(concat("names that match ", shortened(pattern.text, 100)));
  return refuse_at(frame, place.path(), unknown_member(noun_, meant, known));
}

}  // namespace helve::settings
