// Checks arguments against their description and words every complaint.
#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>

#include "base/strings.h"
#include "base/utf8.h"
#include "helve/params.h"

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

std::string shown(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_array() || value.is_object()) return concat("an ", value.type_name());
  const std::string text = to_text(value);
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? text : concat(utf8_prefix(text, kMost), "…");
}

std::string shown_number(double number) { return to_text(Json(number)); }

std::vector<std::string> names_of(const std::vector<Param>& members) {
  std::vector<std::string> names;
  for (const Param& member : members) names.push_back(member.name);
  return names;
}

// Whether one is the other with letters left out, but not the first: cmd for command.
bool is_abbreviation(std::string_view abbreviation, std::string_view word) {
  if (abbreviation.size() < 2 || abbreviation.size() >= word.size() || abbreviation.front() != word.front())
    return false;
  std::size_t found = 0;
  for (const char letter : word)
    if (found < abbreviation.size() && abbreviation[found] == letter) ++found;
  return found == abbreviation.size();
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
          check(type.element.front(), element, member_path(path, shortened(key, 100)));
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
    std::string problem = concat("must be ", expected_name(type.kind), ", but is ", shown(value));
    if (value.is_null()) problem += "; leave it out instead";
    const bool scalar_wanted =
        type.kind == Kind::kBoolean || type.kind == Kind::kInteger || type.kind == Kind::kNumber;
    if (value.is_string() && (scalar_wanted || type.kind == Kind::kArray || type.kind == Kind::kObject))
      problem += "; write it without the quotes";
    complain(path, std::move(problem));
  }

  void check_string(const ParamType& type, const std::string& text, const std::string& path) {
    if (const std::size_t invalid = find_invalid_utf8(text); invalid != text.size())
      return complain(path, concat("is not valid UTF-8 (byte ", invalid + 1, ")"));
    if (!type.choices.empty()) return check_choice(type.choices, text, path);
    const std::size_t length = type.min_length || type.max_length ? count_characters(text) : 0;
    if (type.min_length && length < *type.min_length)
      complain(path, text.empty() ? "must not be empty"
                                  : concat("must have at least ", count_of(*type.min_length, "character"),
                                           ", but has ", length));
    if (type.max_length && length > *type.max_length)
      complain(path,
               concat("must have at most ", count_of(*type.max_length, "character"), ", but has ", length));
    // Longer text could exhaust the stack of the standard library's matcher.
    constexpr std::size_t kLongestForPattern = 4096;
    if (!type.pattern.empty() && text.size() > kLongestForPattern)
      return complain(path, concat("must not have more than ", with_thousands(kLongestForPattern), " bytes"));
    if (!type.pattern.empty() && !std::regex_search(text, std::regex(type.pattern, std::regex::ECMAScript)))
      complain(path, concat("must match ", type.pattern, ", but is ", shown(text)));
  }

  void check_choice(const std::vector<std::string>& choices, const std::string& text,
                    const std::string& path) {
    for (const std::string& choice : choices)
      if (choice == text) return;
    std::string problem = concat("must be ", enumerate(choices, " or "), ", but is ", shown(text));
    if (const auto near = nearest(text, choices); !near.empty())
      problem += concat("; did you mean ", near.front(), "?");
    complain(path, std::move(problem));
  }

  void check_integer(const ParamType& type, const Json& value, const std::string& path) {
    std::int64_t whole = 0;
    const bool fits =
        value.fits_int64(whole) && whole >= type.least_integer && whole <= type.greatest_integer;
    if (!fits && !type.min && !type.max)
      return complain(path, concat("must lie between ", type.least_integer, " and ", type.greatest_integer,
                                   ", but is ", shown(value)));
    check_range(type, value, path, fits);
  }

  void check_range(const ParamType& type, const Json& value, const std::string& path, bool fits = true) {
    const double number = value.as_double();
    if (fits && (!type.min || number >= *type.min) && (!type.max || number <= *type.max)) return;
    if (type.min && type.max)
      complain(path, concat("must lie between ", shown_number(*type.min), " and ", shown_number(*type.max),
                            ", but is ", shown(value)));
    else if (type.min && number < *type.min)
      complain(path, concat("must be at least ", shown_number(*type.min), ", but is ", shown(value)));
    else if (type.max && number > *type.max)
      complain(path, concat("must be at most ", shown_number(*type.max), ", but is ", shown(value)));
    else
      complain(path, concat("is too large a number: ", shown(value)));
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
    std::vector<std::string> unused;
    std::vector<std::string> missing;
    for (const Param& member : type.members) {
      const Json* value = object.find(member.name);
      if (value == nullptr) unused.push_back(member.name);
      if (value == nullptr && member.required) missing.push_back(member.name);
      if (value != nullptr)
        check(member.type, *value, member_path(path, member.name));
      else if (member.required)
        complain(member_path(path, member.name), concat("is missing; it is required: ", member.description));
    }
    if (type.open) return;
    for (const auto& [key, value] : object) {
      if (full()) return;
      if (std::ranges::find(type.members, key, &Param::name) == type.members.end())
        complain_about_unknown(type.members, unused, missing, key, path);
    }
  }

  // What is missing was meant rather than what may be left out, also when it was abbreviated: cmd is command,
  // though cwd is nearer.
  static std::string meant_by(const std::string& key, const std::vector<std::string>& unused,
                              const std::vector<std::string>& missing) {
    for (const std::string& name : missing)
      if (is_abbreviation(key, name) || !nearest(key, {&name, 1}).empty()) return name;
    const auto near = nearest(key, unused);
    return near.empty() ? std::string() : near.front();
  }

  void complain_about_unknown(const std::vector<Param>& members, const std::vector<std::string>& unused,
                              const std::vector<std::string>& missing, const std::string& key,
                              const std::string& path) {
    std::string problem = concat("is not a known ", noun_);
    if (const std::string meant = meant_by(key, unused, missing); !meant.empty())
      problem += concat("; did you mean ", meant, "?");
    else if (members.empty())
      problem += "; there are none";
    else
      problem += concat("; known are ", enumerate(names_of(members)));
    complain(member_path(path, shortened(key, 100)), std::move(problem));
  }

  static std::string member_path(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : concat(path, ".", key);
  }

  // A hostile call must not make us write a book.
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
