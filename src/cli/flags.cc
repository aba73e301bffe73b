#include "cli/flags.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "settings/text_value.h"

namespace helve::cli {
namespace {

using Kind = ParamType::Kind;

std::vector<std::string> flag_names(const ParamType& options) {
  std::vector<std::string> names;
  for (const Param& param : options.members) names.push_back(flag_name(param.name));
  return names;
}

// Suggestions for flags that users know from other programs and that do not work as they are.
struct FlagSuggestion {
  std::string text;        // "write --file-pattern"
  bool has_value = false;  // the next word is its value
};

// Applies to tools that have `parameter`.
struct Habit {
  std::string_view flags;
  std::string_view parameter;
  std::string_view answer;
  bool has_value = false;
};

constexpr auto kHabits = std::to_array<Habit>({
    // Those that work as they are, are in shell_spellings.cc.
    {"-o --only-matching", "filePattern", "whole lines are always shown"},
    {"--limit --head-limit", "maxResults", "write --max-results", true},
    {"-exec -delete -newer -mtime -mmin -size -perm -user -empty -prune", "exclude",
     "helve find has no such test; use find in helve exec", true},
    {"-t -S -r", "depth", "entries are sorted by name; helve find --sort newest sorts by time"},
    {"-l -a -A", "depth", "sizes, times and hidden files are always shown"},
    {"--end --to --end-line", "encoding", "write --lines 3-5 for the lines 3 to 5", true},
    {"-f -c --bytes", "encoding", "write --lines 3-5 for the lines 3 to 5", true},
    {"--old-string --find --search --from", "oldText", "write --old-text", true},
    {"--new-string --to --with", "newText", "write --new-text", true},
    {"--replace", "newText", "write --new-text for the new text, --replace-all for all places", true},
    {"-g --all --global", "replaceAll", "write --replace-all"},
    {"--text --body --data", "content", "write --content", true},
    {"--append -a", "content", "write --mode append"},
    {"--dir --directory --workdir --chdir", "cwd", "write --cwd", true},
    {"--timeout", "timeoutMs", "write --timeout-ms, in milliseconds", true},
    {"--env", "cwd", "write it into the command: 'NAME=value make'", true},
    {"--shell", "cwd", "write --set exec.shell=bash", true},
    {"-n --count --last", "steps", "write --steps", true},
    // compilers
    {"--column", "character", "write --character, which counts from 0", true},
});

const Habit* find_habit(const ParamType& options, std::string_view flag) {
  const auto* found = std::ranges::find_if(kHabits, [&](const Habit& habit) {
    return concat(" ", habit.flags, " ").contains(concat(" ", flag, " ")) &&
           find_flag(options, flag_name(habit.parameter)) != nullptr;
  });
  return found == kHabits.end() ? nullptr : found;
}

// Letters may be combined (-rn) or have a number (-A3).
std::optional<FlagSuggestion> suggest_flag(const ParamType& options, std::string_view flag) {
  if (const Habit* habit = find_habit(options, flag))
    return FlagSuggestion{std::string(habit->answer), habit->has_value};
  if (flag.size() < 3 || flag[0] != '-' || flag[1] == '-') return {};
  std::vector<std::string> answers;
  bool has_value = false;
  for (const char letter : flag.substr(1)) {
    // A digit is the value of the letter before it.
    if (has_value && is_digit(letter)) return FlagSuggestion{join(answers, "; "), false};
    const char one[] = {'-', letter};
    const Habit* habit = find_habit(options, std::string_view(one, 2));
    if (habit == nullptr) return {};
    answers.emplace_back(habit->answer);
    has_value = habit->has_value;
  }
  return FlagSuggestion{join(answers, "; "), has_value};
}

class FlagParser {
 public:
  FlagParser(const FlagSet& flags, const ParamType& globals, const ReadText& read)
      : flags_(flags), globals_(globals), read_(read) {
    parsed_.values = JsonObject();
    parsed_.globals = JsonObject();
  }

  ParsedFlags parse(std::span<const std::string> words) {
    words_ = words;
    bool flags_ended = false;
    while (!words_.empty()) {
      const std::string_view word = take();
      if (!flags_ended && word == "--")
        flags_ended = true;
      else if (!flags_ended && word.starts_with("-") && word.size() > 1)
        flag(word);
      else
        positional(word);
    }
    // Read stdin last: mistakes are reported without waiting for its end.
    if (!parsed_.help && parsed_.complaints.empty()) read_given();
    return std::move(parsed_);
  }

 private:
  std::string_view take() {
    const std::string_view word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  void flag(std::string_view word) {
    word = long_form(word);
    if (word == "--help") {
      parsed_.help = true;
      return;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const bool has_value = equals != std::string_view::npos;
    if (const Param* param = find_flag(flags_.options, name)) {
      value_of(*param, name, has_value, word.substr(equals + 1), parsed_.values);
    } else if (const Param* global = find_flag(globals_, name)) {
      value_of(*global, name, has_value, word.substr(equals + 1), parsed_.globals);
    } else if (const Param* negated = find_negated(name); negated != nullptr && !has_value) {
      parsed_.values[negated->name] = false;
    } else if (word.contains('\n') && name.find_first_of(" \n") != std::string_view::npos) {
      // A flag has no line break; this is text such as a patch.
      complain(concat("\"", shortened(word.substr(0, word.find('\n')), 60), "…\""),
               "is text, not a flag; pass it on stdin with - (- <FILE), or write -- before it");
    } else {
      unknown(name, has_value);
    }
  }

  const Param* find_negated(std::string_view name) const {
    if (!name.starts_with("--no-")) return nullptr;
    const Param* param = find_flag(flags_.options, concat("--", name.substr(5)));
    return param != nullptr && param->type.kind == Kind::kBoolean ? param : nullptr;
  }

  void value_of(const Param& param, std::string_view flag, bool has_value, std::string_view value,
                Json& out) {
    if (!has_value) {
      if (param.type.kind == Kind::kBoolean) {
        out[param.name] = true;
        return;
      }
      if (words_.empty()) {
        complain(flag, "needs a value");
        return;
      }
      value = take();
    }
    if (put_off(param, flag, value)) return;
    auto parsed = value_of_flag(param, value);
    if (!parsed) {
      // If positionals may follow, the value is probably one.
      const Param* words = flags_.positionals.empty()
                               ? nullptr
                               : find_flag(flags_.options, flag_name(flags_.positionals.back()));
      const bool may_follow = words != nullptr && words->type.kind == Kind::kArray;
      complain(flag, param.type.kind == Kind::kBoolean && may_follow
                         ? concat("takes no value; write ", flag, " ", shell_quoted(value))
                         : parsed.error().message);
      return;
    }
    store(param, *std::move(parsed), out);
  }

  // Whether the value is on stdin or in a file, which is read last.
  bool put_off(const Param& param, std::string_view where, std::string_view value) {
    const bool structured = is_structured(param.type);
    if (!read_ ||
        !((value == "-" && (structured || param.type.whole_text)) || (value.starts_with('@') && structured)))
      return false;
    given_.push_back({&param, std::string(where), std::string(value)});
    // A text by position is taken, so that the next word is not for it.
    if (!structured) parsed_.values[param.name] = value;
    return true;
  }

  void read_given() {
    const Given* from_stdin = nullptr;
    for (const Given& given : given_) {
      if (given.value == "-" && from_stdin != nullptr) {
        complain(given.where, given.where == from_stdin->where
                                  ? std::string("uses stdin twice, but it can be read only once")
                                  : concat("cannot use stdin, which ", from_stdin->where, " uses already"));
        continue;
      }
      if (given.value == "-") from_stdin = &given;
    }
    if (!parsed_.complaints.empty()) return;
    for (const Given& given : given_) {
      const auto text = read_(given.value);
      if (!text) {
        complain(given.where, concat("cannot be read: ", text.error().message));
      } else if (given.param->type.whole_text) {
        parsed_.values[given.param->name] = *text;
      } else if (auto value = settings::value_from_text(given.param->type, *text); !value) {
        complain(given.where, value.error().message);
      } else {
        store(*given.param, *std::move(value), parsed_.values);
      }
    }
  }

  // A list flag gives one element at a time, so that commas in it are kept; or all of them as JSON. Tags have
  // no commas.
  static Expected<Json> value_of_flag(const Param& param, std::string_view text) {
    const ParamType& type = param.type;
    if (type.kind != Kind::kArray || trim(text).starts_with('[') || splits_at_commas(param))
      return settings::value_from_text(type, text);
    auto element = settings::value_from_text(type.element.front(), text);
    return element ? Expected<Json>(JsonArray{*std::move(element)}) : element;
  }

  // A repeated list flag adds to the list.
  static void store(const Param& param, Json value, Json& out) {
    Json* known = out.as_object().find(param.name);
    if (known == nullptr || !known->is_array() || !value.is_array()) {
      out[param.name] = std::move(value);
      return;
    }
    for (Json& element : value.as_array()) known->push_back(std::move(element));
  }

  void positional(std::string_view word) {
    while (next_positional_ < flags_.positionals.size()) {
      const std::string& name = flags_.positionals[next_positional_];
      const Param* param = find_flag(flags_.options, flag_name(name));
      const bool repeats = param != nullptr && param->type.kind == Kind::kArray;
      if (!repeats) ++next_positional_;
      if (param == nullptr || (!repeats && parsed_.values.find(name) != nullptr)) continue;
      if (put_off(*param, name, word)) return;
      auto value = repeats ? settings::value_from_text(param->type.element.front(), word)
                           : settings::value_from_text(param->type, word);
      if (!value)
        complain(name, value.error().message);
      else
        store(*param, repeats ? Json(JsonArray{*std::move(value)}) : *std::move(value), parsed_.values);
      return;
    }
    too_many(word);
  }

  // Reports them together: the usual reason is unquoted text.
  void too_many(std::string_view word) {
    std::vector<std::string> extra{std::string(word)};
    while (!words_.empty() && !words_.front().starts_with("-")) extra.emplace_back(take());
    std::string problem = extra.size() == 1 ? "is an unexpected argument" : "are unexpected arguments";
    const std::string last = flags_.positionals.empty() ? std::string() : flags_.positionals.back();
    const Param* param = find_flag(flags_.options, flag_name(last));
    const Json* before = parsed_.values.find(last);
    const std::string all = join(extra, " ");
    if (before != nullptr && before->is_string() && last != "path" && param->type.choices.empty())
      problem +=
          concat("; ", last,
                 " is a single argument, so quote it: ", shell_quoted(concat(before->as_string(), " ", all)));
    else if (last == "path")
      problem += "; path takes one file or directory";
    complain(concat("\"", all, "\""), std::move(problem));
  }

  void unknown(std::string_view name, bool has_value) {
    std::vector<std::string> known = flag_names(flags_.options);
    for (std::string& global : flag_names(globals_)) known.push_back(std::move(global));
    std::string problem = "is not a known flag";
    const auto habit = suggest_flag(flags_.options, name);
    if (habit)
      problem += concat("; ", habit->text);
    else if (const auto near = nearest(name, known); !near.empty())
      problem += concat("; did you mean ", near.front(), "?");
    else if (const Json* command = parsed_.values.find("command"); command != nullptr && command->is_string())
      problem += concat("; write -- before the command: helve exec -- ", command->as_string(), " ", name);
    complain(name, std::move(problem));
    if (has_value || (habit && !habit->has_value)) return;
    // The next word is probably its value; treating it as an argument would add a second error.
    if (!words_.empty() && !words_.front().starts_with("-")) take();
  }

  void complain(std::string_view where, std::string what) {
    parsed_.complaints.push_back({std::string(where), std::move(what)});
  }

  struct Given {
    const Param* param;
    std::string where;
    std::string value;
  };

  const FlagSet& flags_;
  const ParamType& globals_;
  const ReadText& read_;
  std::vector<Given> given_;
  std::span<const std::string> words_;
  std::size_t next_positional_ = 0;
  ParsedFlags parsed_;
};

}  // namespace

std::string flag_name(std::string_view member) { return concat("--", to_kebab_case(member)); }

const Param* find_flag(const ParamType& options, std::string_view flag) {
  const auto found = std::ranges::find_if(options.members, [&](const Param& param) {
    // Names copied from the schema are accepted too.
    return flag == flag_name(param.name) || flag == concat("--", param.name);
  });
  return found == options.members.end() ? nullptr : &*found;
}

std::string_view long_form(std::string_view flag) {
  if (flag == "-v") return "--verbose";
  if (flag == "-q") return "--quiet";
  return flag == "-h" ? "--help" : flag;
}

bool splits_at_commas(const Param& param) { return param.name == "tags" && param.type.kind == Kind::kArray; }

bool is_structured(const ParamType& type) {
  return type.kind == Kind::kObject || type.kind == Kind::kMap ||
         (type.kind == Kind::kArray && is_structured(type.element.front()));
}

ParsedFlags parse_flags(const FlagSet& flags, const ParamType& globals, std::span<const std::string> words,
                        const ReadText& read) {
  ParsedFlags parsed = FlagParser(flags, globals, read).parse(words);
  const bool understood = parsed.complaints.empty();
  const auto add = [&](const FlagSet& set, const Json& values) {
    for (Complaint& complaint : validate(set.options, values)) {
      // An unknown flag may be the missing one; report only the more specific error.
      if (!understood && values.find(complaint.path) == nullptr) continue;
      const Param* param = find_flag(set.options, flag_name(complaint.path));
      const bool by_position = std::ranges::find(set.positionals, complaint.path) != set.positionals.end();
      // If text is piped in, suggest -.
      if (param != nullptr && param->type.whole_text && read && values.find(complaint.path) == nullptr)
        complaint.problem += concat(" Write ", by_position ? "" : concat(flag_name(complaint.path), " "),
                                    "- to read it from stdin.");
      if (param != nullptr && !by_position) complaint.path = flag_name(complaint.path);
      parsed.complaints.push_back(std::move(complaint));
    }
  };
  add(flags, parsed.values);
  add({globals, {}}, parsed.globals);
  return parsed;
}

FlagSet flags_of_tool(const ParamType& params) {
  FlagSet flags{params, {}};
  const auto fits_a_position = [](const Param& param) {
    return param.name != "explanation" && param.type.kind != Kind::kBoolean && param.type.element.empty() &&
           param.type.members.empty();
  };
  const auto add = [&](const Param& param) { flags.positionals.push_back(param.name); };
  for (const Param& param : params.members)
    if (param.required && fits_a_position(param)) add(param);
  // Extra words are more often a mistake (helve exec make test) than an optional parameter. Only a query and
  // a path are accepted.
  const auto query = std::ranges::find(params.members, "query", &Param::name);
  if (flags.positionals.empty() && query != params.members.end() && fits_a_position(*query)) add(*query);
  for (const Param& param : params.members)
    if (!param.required && fits_a_position(param) && (param.name == "path" || flags.positionals.empty()))
      add(param);
  return flags;
}

}  // namespace helve::cli
