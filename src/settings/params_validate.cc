// Checks arguments against their description, and describes every problem.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/strings.h"
#include "base/utf8.h"
#include "helve/params.h"
#include "settings/complaint_words.h"
#include "settings/param_pattern.h"

namespace helve {
namespace {

using Kind = ParamType::Kind;

std::string_view expected_name(Kind kind) {
  switch (kind) {
    case Kind::kString: return "a string";
    case Kind::kBoolean: return "true or false";
    case Kind::kInteger: return "a whole number";
    case Kind::kNumber: return "a number";
    case Kind::kArray: return "an array";
    case Kind::kObject:
    case Kind::kMap: return "an object";
    case Kind::kAny: break;
  }
  return "a value";
}

std::string shown_number(double number) { return to_text(Json(number)); }

std::vector<std::string> names_of(const std::vector<Param>& members) {
  std::vector<std::string> names;
  for (const Param& member : members) names.push_back(member.name);
  return names;
}

class Validator {
 public:
  explicit Validator(std::string_view noun) : noun_(noun) {}

  std::vector<Complaint> take() { return std::move(complaints_); }

  void check(const ParamType& type, const Json& value, const std::string& path) {
    if (!has_type(type, value)) {
      complain_about_type(type, value, path);
      return;
    }
    switch (type.kind) {
      case Kind::kString: check_string(type, value.as_string(), path); break;
      case Kind::kInteger: check_integer(type, value, path); break;
      case Kind::kNumber: check_range(type, value, path); break;
      case Kind::kArray: check_array(type, value.as_array(), path); break;
      case Kind::kObject: check_object(type, value.as_object(), path); break;
      case Kind::kMap:
        for (const auto& [key, element] : value.as_object()) {
          if (full()) break;
          check(type.element.front(), element, settings::member_path(path, shortened(key, 100)));
        }
        break;
      case Kind::kBoolean:
      case Kind::kAny: break;
    }
  }

 private:
  static bool has_type(const ParamType& type, const Json& value) {
    switch (type.kind) {
      case Kind::kString: return value.is_string();
      case Kind::kBoolean: return value.is_bool();
      case Kind::kInteger:
        return value.is_number() &&
               (value.is_integer() || value.as_double() == std::trunc(value.as_double()));
      case Kind::kNumber: return value.is_number() && std::isfinite(value.as_double());
      case Kind::kArray: return value.is_array();
      case Kind::kObject:
      case Kind::kMap: return value.is_object();
      case Kind::kAny: return true;
    }
    return false;
  }

  void complain_about_type(const ParamType& type, const Json& value, const std::string& path) {
    std::string problem = concat("must be ", expected_name(type.kind), ", but is ", settings::shown(value));
    if (value.is_null()) problem += "; omit it instead";
    if (value.is_string()) problem += advice_for_text(type, value.as_string());
    complain(path, std::move(problem));
  }

  static std::string advice_for_text(const ParamType& type, const std::string& text) {
    constexpr std::string_view kUnquote = "; write it without the quotes";
    const bool scalar_wanted =
        type.kind == Kind::kBoolean || type.kind == Kind::kInteger || type.kind == Kind::kNumber;
    if (scalar_wanted) return std::string(kUnquote);
    if (type.kind != Kind::kArray && type.kind != Kind::kObject) return {};
    if (trim(text).starts_with(type.kind == Kind::kArray ? '[' : '{')) return std::string(kUnquote);
    if (type.kind != Kind::kArray) return {};
    const Kind element = type.element.front().kind;
    const bool of_text = element == Kind::kString || element == Kind::kAny;
    return concat("; write it as ", of_text ? settings::list_written_as(text) : "[…]");
  }

  void check_string(const ParamType& type, const std::string& text, const std::string& path) {
    if (const std::size_t invalid = find_invalid_utf8(text); invalid != text.size())
      return complain(path, concat("is not valid UTF-8 (byte ", invalid + 1, ")"));
    if (!type.choices.empty()) {
      if (std::ranges::find(type.choices, text) == type.choices.end())
        complain(path, settings::not_a_choice(type.choices, text));
      return;
    }
    const std::size_t length = type.min_length || type.max_length ? count_characters(text) : 0;
    if (type.min_length && length < *type.min_length)
      complain(path, text.empty() ? "must not be empty"
                                  : concat("must have at least ", count_of(*type.min_length, "character"),
                                           ", but has ", length));
    if (type.max_length && length > *type.max_length)
      complain(path,
               concat("must have at most ", count_of(*type.max_length, "character"), ", but has ", length));
    if (!type.pattern.empty() && !settings::matches_param_pattern(type.pattern, text))
      complain(path, concat("must match ", type.pattern, ", but is ", settings::shown(text)));
  }

  void check_integer(const ParamType& type, const Json& value, const std::string& path) {
    std::int64_t whole = 0;
    const bool fits =
        value.fits_int64(whole) && whole >= type.least_integer && whole <= type.greatest_integer;
    if (!fits && !type.min && !type.max)
      return complain(path, concat("must lie between ", type.least_integer, " and ", type.greatest_integer,
                                   ", but is ", settings::shown(value)));
    check_range(type, value, path, fits);
  }

  void check_range(const ParamType& type, const Json& value, const std::string& path, bool fits = true) {
    const double number = value.as_double();
    if (fits && (!type.min || number >= *type.min) && (!type.max || number <= *type.max)) return;
    if (type.min && type.max)
      complain(path, concat("must lie between ", shown_number(*type.min), " and ", shown_number(*type.max),
                            ", but is ", settings::shown(value)));
    else if (type.min && number < *type.min)
      complain(path,
               concat("must be at least ", shown_number(*type.min), ", but is ", settings::shown(value)));
    else if (type.max && number > *type.max)
      complain(path,
               concat("must be at most ", shown_number(*type.max), ", but is ", settings::shown(value)));
    else
      complain(path, concat("is too large a number: ", settings::shown(value)));
  }

  void check_array(const ParamType& type, const JsonArray& array, const std::string& path) {
    if (type.min_length && array.size() < *type.min_length)
      complain(path, concat("must have at least ", count_of(*type.min_length, "element"), ", but has ",
                            array.size()));
    if (type.max_length && array.size() > *type.max_length)
      complain(path, concat("must have at most ", count_of(*type.max_length, "element"), ", but has ",
                            array.size()));
    for (std::size_t i = 0; i < array.size() && !full(); ++i)
      check(type.element.front(), array[i], concat(path, "[", i, "]"));
  }

  void check_object(const ParamType& type, const JsonObject& object, const std::string& path) {
    std::size_t known = 0;
    for (const Param& member : type.members) {
      const Json* value = object.find(member.name);
      known += value != nullptr ? 1 : 0;
      if (value != nullptr)
        check(member.type, *value, settings::member_path(path, member.name));
      else if (member.required)
        complain(settings::member_path(path, member.name),
                 concat("is missing; it is required: ", member.description));
    }
    if (!type.open && known < object.size()) check_unknown(type, object, path);
  }

  void check_unknown(const ParamType& type, const JsonObject& object, const std::string& path) {
    std::vector<std::string> unused;
    std::vector<std::string> missing;
    for (const Param& member : type.members) {
      if (object.contains(member.name)) continue;
      unused.push_back(member.name);
      if (member.required) missing.push_back(member.name);
    }
    const auto is_unknown = [&](const auto& member) {
      return std::ranges::find(type.members, member.first, &Param::name) == type.members.end();
    };
    const bool only_one = std::ranges::count_if(object, is_unknown) == 1 && missing.size() == 1;
    for (const auto& member : object) {
      if (full()) return;
      if (!is_unknown(member)) continue;
      std::string meant = settings::meant_by(member.first, unused, missing);
      // One missing and one unknown parameter are most likely the same, if the types fit.
      if (meant.empty() && only_one && can_be(type.members, missing.front(), member.second))
        meant = missing.front();
      complain(settings::member_path(path, shortened(member.first, 100)),
               settings::unknown_member(noun_, meant, names_of(type.members)));
    }
  }

  static bool can_be(const std::vector<Param>& members, const std::string& name, const Json& value) {
    return has_type(std::ranges::find(members, name, &Param::name)->type, value);
  }

  // A hostile call must not produce an endless error.
  bool full() const { return complaints_.size() >= 50; }

  void complain(std::string path, std::string problem) {
    if (!full()) complaints_.push_back({std::move(path), std::move(problem)});
  }

  std::vector<Complaint> complaints_;
  std::string_view noun_;
};

}  // namespace

std::vector<Complaint> validate(const ParamType& type, const Json& value, std::string_view noun) {
  Validator validator(noun);
  validator.check(type, value, "");
  return validator.take();
}

Error invalid_arguments(std::string_view subject, const std::vector<Complaint>& complaints) {
  std::string message = concat(subject, ": ", count_of(complaints.size(), "problem"), " with the arguments");
  JsonArray list;
  for (const Complaint& complaint : complaints) {
    const std::string_view path =
        complaint.path.empty() ? std::string_view("(arguments)") : std::string_view(complaint.path);
    message += concat("\n- ", path, " ", complaint.problem);
    list.push_back(JsonObject{{"path", complaint.path}, {"problem", complaint.problem}});
  }
  return {ErrorCode::kInvalidArgument, std::move(message),
          "Nothing was run. Correct the arguments and call again.",
          JsonObject{{"complaints", std::move(list)}}};
}

}  // namespace helve
