#include "store/snippet_query.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "store/code_words.h"

namespace helve::store {
namespace {

// What a filter asks, with the values for its places in order.
struct Condition {
  std::string sql = "1";
  std::vector<std::string> texts;

  void add(std::string_view more, std::string text) {
    sql += concat(" AND ", more);
    texts.push_back(std::move(text));
  }
  [[nodiscard]] Values values() const { return {texts.begin(), texts.end()}; }
};

// "parse"* AND "json"*: in quotes, nothing that somebody writes has a meaning of its own.
std::string match_of(const std::vector<std::string>& words) {
  std::string match;
  for (const std::string& word : words)
    match += concat(match.empty() ? "" : " AND ", "\"", replace_all(word, "\"", "\"\""), "\"*");
  return match;
}

void add_query(Condition& condition, const std::string& query, bool has_search) {
  const std::vector<std::string> words = query_words(query);
  const bool ascii = std::ranges::all_of(query, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string by_words;
  std::vector<std::string> texts;
  if (!words.empty() && has_search) {
    by_words = "s.number IN (SELECT rowid FROM snippet_index WHERE snippet_index MATCH ?)";
    texts.push_back(match_of(words));
  } else {
    for (const std::string& word : words) {
      by_words += concat(by_words.empty() ? "" : " AND ",
                         "EXISTS (SELECT 1 FROM snippet_words w WHERE w.number = s.number AND "
                         "' ' || w.name || ' ' || w.about || ' ' || w.code LIKE ? ESCAPE '\\')");
      texts.push_back(concat("% ", escaped_for_like(word), "%"));
    }
  }
  // Operators have no words in them, and scripts without spaces no ends of words.
  if (words.empty() || !ascii) {
    by_words = concat(by_words.empty() ? "0" : by_words,
                      " OR instr(s.name, ?) OR instr(s.description, ?) OR instr(s.code, ?)");
    texts.insert(texts.end(), 3, query);
  }
  condition.sql += concat(" AND (", by_words, ")");
  for (std::string& text : texts) condition.texts.push_back(std::move(text));
}

Condition condition_of(const SnippetFilter& filter, bool has_search) {
  Condition condition;
  for (const std::string& tag : filter.tags)
    condition.add(
        "EXISTS (SELECT 1 FROM snippet_tags t WHERE t.snippet = s.number AND t.tag = ? COLLATE NOCASE)",
        std::string(trim(tag)));
  std::string places;
  for (const std::string& language : filter.languages) {
    places += places.empty() ? "?" : ", ?";
    condition.texts.push_back(language);
  }
  if (!places.empty()) condition.sql += concat(" AND s.language COLLATE NOCASE IN (", places, ")");
  if (const std::string_view query = trim(filter.query); !query.empty())
    add_query(condition, std::string(query), has_search);
  return condition;
}

}  // namespace

std::size_t count_lines(std::string_view text) {
  const auto breaks = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return breaks + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

std::string escaped_for_like(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Expected<std::vector<std::string>> tags_of(Database& database, std::int64_t snippet) {
  std::vector<std::string> tags;
  auto done = database.each("SELECT tag FROM snippet_tags WHERE snippet = ? ORDER BY number", {snippet},
                            [&](const Row& row) { tags.push_back(row.text(0)); });
  if (!done) return fail(std::move(done).error());
  return tags;
}

Expected<SnippetList> list_snippets(Database& database, const SnippetFilter& filter, bool has_search) {
  const Condition condition = condition_of(filter, has_search);
  const auto total =
      database.integer(concat("SELECT count(*) FROM snippets s WHERE ", condition.sql), condition.values());
  if (!total) return fail(total.error());
  SnippetList list{.total = static_cast<std::size_t>(*total)};
  std::vector<std::int64_t> numbers;
  Values values = condition.values();
  values.emplace_back(static_cast<std::int64_t>(filter.most));
  auto done =
      database.each(concat("SELECT s.number, s.id, s.name, s.description, s.language, s.created, s.updated, "
                           "s.bytes, s.lines FROM snippets s WHERE ",
                           condition.sql, " ORDER BY s.revision DESC LIMIT ?"),
                    values, [&](const Row& row) {
                      numbers.push_back(row.integer(0));
                      list.snippets.push_back({.id = row.text(1),
                                               .name = row.text(2),
                                               .description = row.text(3),
                                               .language = row.text(4),
                                               .created = row.text(5),
                                               .updated = row.text(6),
                                               .bytes = static_cast<std::size_t>(row.integer(7)),
                                               .lines = static_cast<std::size_t>(row.integer(8))});
                    });
  if (!done) return fail(std::move(done).error());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto tags = tags_of(database, numbers[i]);
    if (!tags) return fail(std::move(tags).error());
    list.snippets[i].tags = *std::move(tags);
  }
  return list;
}

Error no_such_snippet(Database& database, std::string_view name) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> known;
  auto listed = database.each("SELECT name FROM snippets ORDER BY revision DESC LIMIT 10000", {},
                              [&](const Row& row) { known.push_back(row.text(0)); });
  if (!listed) return listed.error();
  std::vector<std::string> near = nearest(name, known, kMost);
  // Who remembers the words but not how they were joined gets what has them in its name.
  const std::vector<std::string> words = query_words(name);
  for (const std::string& candidate : known) {
    if (near.size() >= kMost || words.empty()) break;
    const std::string has = concat(" ", code_words(candidate));
    const bool fits = std::ranges::all_of(
        words, [&](const std::string& word) { return has.find(concat(" ", word)) != std::string::npos; });
    if (fits && std::ranges::find(near, candidate) == near.end()) near.push_back(candidate);
  }
  std::string hint = known.empty() ? "No snippets are saved yet; snippet_save keeps one."
                     : near.empty()
                         ? concat("snippet_list shows the ", count_of(known.size(), "snippet"), " there ",
                                  known.size() == 1 ? "is" : "are", ", and finds them by words.")
                         : concat("Did you mean ", enumerate(near, " or "), "?");
  JsonArray nearest_names(near.begin(), near.end());
  return {ErrorCode::kNotFound, concat("There is no snippet \"", shortened(name, 200), "\"."),
          std::move(hint), JsonObject{{"nearest", std::move(nearest_names)}}};
}

}  // namespace helve::store
