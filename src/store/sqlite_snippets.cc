// Snippets in SQLite: saving, loading, searching and removing.
#include <algorithm>

#include "base/clock.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "store/code_words.h"
#include "store/sqlite_parts.h"

namespace helve::store {
namespace {

using Access = SqliteConnection::Access;

// A WHERE condition with the values of its placeholders.
struct Condition {
  std::string sql = "1";
  std::vector<std::string> texts;

  void add(std::string_view more, std::string text) {
    sql += concat(" AND ", more);
    texts.push_back(std::move(text));
  }
  [[nodiscard]] Values values() const { return {texts.begin(), texts.end()}; }
};

// Builds "parse"* AND "json"*. The quotes keep FTS5 from interpreting operators in the query.
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
  // Fall back to substrings for operators, which contain no words, and for scripts without spaces.
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
  // Also suggest names that contain the same words joined in another way.
  const std::vector<std::string> words = query_words(name);
  for (const std::string& candidate : known) {
    if (near.size() >= kMost || words.empty()) break;
    const std::string has = concat(" ", code_words(candidate));
    const bool fits = std::ranges::all_of(
        words, [&](const std::string& word) { return has.find(concat(" ", word)) != std::string::npos; });
    if (fits && std::ranges::find(near, candidate) == near.end()) near.push_back(candidate);
  }
  std::string hint = known.empty()  ? "No snippets are saved yet. Save one with snippet_save."
                     : near.empty() ? concat("Use snippet_list to list or search the ",
                                             count_of(known.size(), "saved snippet"), ".")
                                    : concat("Did you mean ", enumerate(near, " or "), "?");
  JsonArray nearest_names(near.begin(), near.end());
  return {ErrorCode::kNotFound, concat("There is no snippet \"", shortened(name, 200), "\"."),
          std::move(hint), JsonObject{{"nearest", std::move(nearest_names)}}};
}

struct StoredSnippet {
  std::int64_t number = 0;
  Snippet snippet;
};

Expected<std::optional<StoredSnippet>> find_by(Database& database, std::string_view column,
                                               std::string_view value) {
  std::optional<StoredSnippet> found;
  auto done = database.each(concat("SELECT number, id, name, code, description, language, created, updated "
                                   "FROM snippets WHERE ",
                                   column, " = ?"),
                            {value}, [&](const Row& row) {
                              found = StoredSnippet{row.integer(0),
                                                    {.id = row.text(1),
                                                     .name = row.text(2),
                                                     .code = row.text(3),
                                                     .description = row.text(4),
                                                     .language = row.text(5),
                                                     .created = row.text(6),
                                                     .updated = row.text(7)}};
                            });
  if (done && found) {
    auto tags = tags_of(database, found->number);
    if (!tags) return fail(std::move(tags).error());
    found->snippet.tags = *std::move(tags);
  }
  if (!done) return fail(std::move(done).error());
  return found;
}

Expected<StoredSnippet> find_snippet(Database& database, std::string_view name_or_id) {
  const std::string_view name = trim(name_or_id);
  auto found = find_by(database, "name", name);
  if (found && !*found) found = find_by(database, "id", name);
  if (!found) return fail(std::move(found).error());
  if (*found) return **std::move(found);
  return fail(no_such_snippet(database, name));
}

// Fails if a process without full-text search has changed snippets. The connection then rebuilds the index
// and retries.
Expected<void> check_search(Database& database, bool has_search) {
  if (!has_search) return {};
  const auto behind = database.integer("SELECT behind FROM search_state", {}, 1);
  if (!behind) return fail(behind.error());
  if (*behind == 0) return {};
  return fail(ErrorKind::kIndexDamaged, ErrorCode::kExecutionFailed, "The search index is out of date.");
}

// FTS5 needs the old words to delete an entry, so this must run before they change.
Expected<void> unindex_words(Database& database, std::int64_t number, bool has_search) {
  if (!has_search) return database.run("UPDATE search_state SET behind = 1");
  return database.run(
      "INSERT INTO snippet_index(snippet_index, rowid, name, about, code) "
      "SELECT 'delete', number, name, about, code FROM snippet_words WHERE number = ?",
      {number});
}

Expected<void> index_words(Database& database, std::int64_t number, const Snippet& snippet, bool has_search) {
  const std::string name = code_words(snippet.name);
  const std::string about =
      code_words(concat(snippet.description, "\n", snippet.language, "\n", join(snippet.tags, "\n")));
  const std::string code = code_words(snippet.code);
  auto done =
      database.run("INSERT OR REPLACE INTO snippet_words(number, name, about, code) VALUES (?, ?, ?, ?)",
                   {number, name, about, code});
  if (!done || !has_search) return done;
  return database.run("INSERT INTO snippet_index(rowid, name, about, code) VALUES (?, ?, ?, ?)",
                      {number, name, about, code});
}

Expected<std::int64_t> write_row(Database& database, const Snippet& snippet,
                                 std::optional<std::int64_t> number) {
  const auto revision = database.integer("SELECT coalesce(max(revision), 0) + 1 FROM snippets");
  if (!revision) return revision;
  const auto bytes = static_cast<std::int64_t>(snippet.code.size());
  const auto lines = static_cast<std::int64_t>(count_lines(snippet.code));
  if (number) {
    auto done = database.run(
        "UPDATE snippets SET code = ?, description = ?, language = ?, bytes = ?, lines = ?, updated = ?, "
        "revision = ? WHERE number = ?",
        {snippet.code, snippet.description, snippet.language, bytes, lines, snippet.updated, *revision,
         *number});
    if (done) done = database.run("DELETE FROM snippet_tags WHERE snippet = ?", {*number});
    if (!done) return fail(std::move(done).error());
  } else {
    auto done = database.run(
        "INSERT INTO snippets(id, name, code, description, language, bytes, lines, created, updated, "
        "revision) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {snippet.id, snippet.name, snippet.code, snippet.description, snippet.language, bytes, lines,
         snippet.created, snippet.updated, *revision});
    if (!done) return fail(std::move(done).error());
    number = database.last_row();
  }
  for (const std::string& tag : snippet.tags) {
    auto done = database.run("INSERT INTO snippet_tags(snippet, tag) VALUES (?, ?)", {*number, tag});
    if (!done) return fail(std::move(done).error());
  }
  return *number;
}

struct Plan {
  SavedSnippet saved;
  std::optional<std::int64_t> number;  // of the replaced snippet
};

Expected<Plan> plan(Database& database, const SnippetDraft& draft) {
  auto old = find_by(database, "name", draft.name);
  if (!old) return fail(std::move(old).error());
  if (!*old) {
    const auto same_id = database.integer("SELECT count(*) FROM snippets WHERE id = ?", {draft.name});
    if (!same_id) return fail(same_id.error());
    if (*same_id > 0)
      return fail(ErrorCode::kInvalidArgument,
                  concat(draft.name, " is the id of a snippet and cannot be a name."),
                  "Use the snippet's name to replace it, or choose another name.");
  }
  const std::string now = utc_timestamp();
  Plan plan;
  plan.saved.snippet = {.id = *old ? (*old)->snippet.id : random_id("snp"),
                        .name = draft.name,
                        .code = draft.code,
                        .description = draft.description,
                        .language = draft.language,
                        .tags = draft.tags,
                        .created = *old ? (*old)->snippet.created : now,
                        .updated = now};
  if (*old) {
    plan.number = (*old)->number;
    plan.saved.before = std::move((*old)->snippet);
  }
  return plan;
}

}  // namespace

Expected<SavedSnippet> SqliteSnippets::save(const SnippetDraft& draft) {
  const auto fitting = checked(draft);
  if (!fitting) return fail(fitting.error());
  return connection_.use(Access::kWrite, [&](Database& database) -> Expected<SavedSnippet> {
    auto planned = plan(database, *fitting);
    if (!planned) return fail(std::move(planned).error());
    const bool has_search = connection_.has_search();
    Expected<void> done = check_search(database, has_search);
    if (done && (planned->number || !has_search))
      done = unindex_words(database, planned->number.value_or(0), has_search);
    if (!done) return fail(std::move(done).error());
    const auto number = write_row(database, planned->saved.snippet, planned->number);
    if (!number) return fail(number.error());
    done = index_words(database, *number, planned->saved.snippet, has_search);
    if (!done) return fail(std::move(done).error());
    return std::move(planned->saved);
  });
}

Expected<SavedSnippet> SqliteSnippets::preview(const SnippetDraft& draft) {
  const auto fitting = checked(draft);
  if (!fitting) return fail(fitting.error());
  return connection_.use(Access::kRead, [&](Database& database) -> Expected<SavedSnippet> {
    auto planned = plan(database, *fitting);
    if (!planned) return fail(std::move(planned).error());
    return std::move(planned->saved);
  });
}

Expected<Snippet> SqliteSnippets::load(std::string_view name_or_id) {
  return connection_.use(Access::kRead, [&](Database& database) -> Expected<Snippet> {
    auto found = find_snippet(database, name_or_id);
    if (!found) return fail(std::move(found).error());
    return std::move(found->snippet);
  });
}

Expected<SnippetList> SqliteSnippets::list(const SnippetFilter& filter) {
  return connection_.use(Access::kRead, [&](Database& database) -> Expected<SnippetList> {
    if (auto ready = check_search(database, connection_.has_search()); !ready)
      return fail(std::move(ready).error());
    return list_snippets(database, filter, connection_.has_search());
  });
}

Expected<Snippet> SqliteSnippets::remove(std::string_view name_or_id) {
  return connection_.use(Access::kWrite, [&](Database& database) -> Expected<Snippet> {
    auto found = find_snippet(database, name_or_id);
    if (!found) return fail(std::move(found).error());
    auto done = check_search(database, connection_.has_search());
    if (done) done = unindex_words(database, found->number, connection_.has_search());
    if (done) done = database.run("DELETE FROM snippets WHERE number = ?", {found->number});
    if (!done) return fail(std::move(done).error());
    return std::move(found->snippet);
  });
}

}  // namespace helve::store
