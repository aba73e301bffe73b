#include "settings/complaint_words.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::settings {
namespace {

// Whether one abbreviates the other, with the same first letter: cmd for command.
bool is_abbreviation(std::string_view abbreviation, std::string_view word) {
  if (abbreviation.size() < 2 || abbreviation.size() >= word.size() || abbreviation.front() != word.front())
    return false;
  std::size_t found = 0;
  for (const char letter : word)
    if (found < abbreviation.size() && abbreviation[found] == letter) ++found;
  return found == abbreviation.size();
}

// Other names for the same parameter; if a tool has several, the first applies.
struct Synonym {
  std::string_view said;  // in lower case, without underscores
  std::string_view name;
};
constexpr auto kSynonyms = std::to_array<Synonym>({
    {"oldstring", "oldText"},
    {"oldstr", "oldText"},
    {"search", "oldText"},
    {"newstring", "newText"},
    {"newstr", "newText"},
    {"replace", "newText"},
    {"replacement", "newText"},
    {"query", "pattern"},
    {"regex", "pattern"},
    {"search", "pattern"},
    {"name", "pattern"},
    {"glob", "filePattern"},
    {"glob", "pattern"},
    {"include", "filePattern"},
    {"files", "filePattern"},
    {"name", "query"},
    {"symbol", "query"},
    {"pattern", "query"},
    {"name", "symbol"},
    {"query", "symbol"},
    {"file", "path"},
    {"filepath", "path"},
    {"filename", "path"},
    {"targetfile", "path"},
    {"dir", "path"},
    {"directory", "path"},
    {"folder", "path"},
    {"startline", "offset"},
    {"start", "offset"},
    {"line", "offset"},
    {"endline", "limit"},
    {"lines", "limit"},
    {"count", "limit"},
    {"maxlines", "limit"},
    {"text", "content"},
    {"contents", "content"},
    {"filetext", "content"},
    {"data", "content"},
    {"diff", "patch"},
    {"input", "patch"},
    {"content", "code"},
    {"text", "code"},
    {"snippet", "code"},
    {"title", "name"},
    {"script", "command"},
    {"timeout", "timeoutMs"},
    {"workdir", "cwd"},
    {"directory", "cwd"},
    {"input", "stdin"},
    {"session", "sessionId"},
    {"id", "sessionId"},
    {"text", "data"},
    {"input", "data"},
    {"ignorecase", "caseSensitive"},
    {"context", "contextLines"},
    {"limit", "maxResults"},
    {"headlimit", "maxResults"},
});

// The name among `names` that was most likely meant.
std::string synonym_of(std::string_view said, const std::vector<std::string>& names) {
  const std::string plain = replace_all(to_lower(said), "_", "");
  for (const Synonym& synonym : kSynonyms)
    if (synonym.said == plain && std::ranges::find(names, synonym.name) != names.end())
      return std::string(synonym.name);
  return {};
}

}  // namespace

std::string shown(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_array() || value.is_object()) return concat("an ", value.type_name());
  const std::string text = to_text(value);
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? text : concat(utf8_prefix(text, kMost), "…");
}

std::string member_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : concat(path, ".", key);
}

std::string list_written_as(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() > kMost) return R"(["…", "…"])";
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ','))
    if (!trim(word).empty()) words.push_back(to_text(Json(trim(word))));
  return concat("[", join(words, ", "), "]");
}

std::string not_a_choice(const std::vector<std::string>& choices, const Json& value) {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> listed(
      choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(std::min(choices.size(), kMost)));
  if (choices.size() > kMost) listed.push_back(concat("one of ", choices.size() - kMost, " others"));
  std::string problem = concat("must be ", enumerate(listed, " or "), ", but is ", shown(value));
  if (!value.is_string()) return problem;
  if (const auto near = nearest(value.as_string(), listed); !near.empty())
    problem += concat("; did you mean ", near.front(), "?");
  return problem;
}

std::string meant_by(const std::string& key, const std::vector<std::string>& unused,
                     const std::vector<std::string>& missing) {
  for (const std::string& name : missing)
    if (is_abbreviation(key, name) || !nearest(key, {&name, 1}).empty()) return name;
  if (std::string name = synonym_of(key, unused); !name.empty()) return name;
  const auto near = nearest(key, unused);
  return near.empty() ? std::string() : near.front();
}

std::string unknown_member(std::string_view noun, const std::string& meant,
                           const std::vector<std::string>& known) {
  std::string problem = concat("is not a known ", noun);
  if (!meant.empty()) return problem += concat("; did you mean ", meant, "?");
  return problem += known.empty() ? "; there are none" : concat("; known are ", enumerate(known));
}

}  // namespace helve::settings
