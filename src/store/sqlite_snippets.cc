// Snippets in SQLite: saving, loading, removing.
#include <algorithm>

#include "base/clock.h"
#include "base/strings.h"
#include "store/code_words.h"
#include "store/snippet_query.h"
#include "store/sqlite_parts.h"

namespace helve::store {
namespace {

using Access = SqliteConnection::Access;

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

// A process without full-text search may have changed words since; then the connection makes the index again
// and the work is done once more.
Expected<void> check_search(Database& database, bool has_search) {
  if (!has_search) return {};
  const auto behind = database.integer("SELECT behind FROM search_state", {}, 1);
  if (!behind) return fail(behind.error());
  if (*behind == 0) return {};
  return fail(ErrorCode::kExecutionFailed, "The index for search is behind.", {},
              JsonObject{{"kind", kIndexDamaged}});
}

// The index must hear what it is to forget before the words change.
Expected<void> forget_words(Database& database, std::int64_t number, bool has_search) {
  if (!has_search) return database.run("UPDATE search_state SET behind = 1");
  return database.run(
      "INSERT INTO snippet_index(snippet_index, rowid, name, about, code) "
      "SELECT 'delete', number, name, about, code FROM snippet_words WHERE number = ?",
      {number});
}

Expected<void> learn_words(Database& database, std::int64_t number, const Snippet& snippet, bool has_search) {
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
  std::optional<std::int64_t> number;  // of the one that is replaced
};

// What saving the draft would lead to.
Expected<Plan> plan(Database& database, const SnippetDraft& draft) {
  auto old = find_by(database, "name", draft.name);
  if (!old) return fail(std::move(old).error());
  if (!*old) {
    const auto same_id = database.integer("SELECT count(*) FROM snippets WHERE id = ?", {draft.name});
    if (!same_id) return fail(same_id.error());
    if (*same_id > 0)
      return fail(ErrorCode::kInvalidArgument,
                  concat(draft.name, " is the id of a snippet and cannot be a name."),
                  "Save it under the snippet's name to replace it, or under another one.");
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
      done = forget_words(database, planned->number.value_or(0), has_search);
    if (!done) return fail(std::move(done).error());
    const auto number = write_row(database, planned->saved.snippet, planned->number);
    if (!number) return fail(number.error());
    done = learn_words(database, *number, planned->saved.snippet, has_search);
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
    if (done) done = forget_words(database, found->number, connection_.has_search());
    if (done) done = database.run("DELETE FROM snippets WHERE number = ?", {found->number});
    if (!done) return fail(std::move(done).error());
    return std::move(found->snippet);
  });
}

}  // namespace helve::store
