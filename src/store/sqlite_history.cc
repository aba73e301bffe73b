// The index of what was done, in SQLite.
#include "base/strings.h"
#include "base/utf8.h"
#include "store/code_words.h"
#include "store/snippet_query.h"
#include "store/sqlite_parts.h"

namespace helve::store {
namespace {

using Access = SqliteConnection::Access;

// An index has the beginnings of things; the whole is elsewhere.
constexpr std::size_t kMaxText = 4096;

// A piece of a query that is the name of a file or a part of one; empty otherwise.
std::string name_in(std::string_view piece) {
  while (piece.starts_with("./")) piece.remove_prefix(2);
  while (!piece.empty() && std::string_view(".,;:!?").contains(piece.back())) piece.remove_suffix(1);
  return piece.find_first_of("./") == std::string_view::npos ? std::string() : to_lower(piece);
}

}  // namespace

Expected<void> add_deeds(Database& database, const SessionRecord& session, const std::vector<Deed>& deeds) {
  for (const Deed& deed : deeds) {
    const std::string text = shortened(deed.text, kMaxText);
    const std::string words = concat(" ", code_words(concat(deed.subject, "\n", text)));
    auto done = database.run(
        "INSERT INTO history(time, workspace, session, kind, subject, text, words) VALUES (?, ?, ?, ?, ?, ?, "
        "?)",
        {session.updated, session.workspace, session.id, deed.kind, deed.subject, text, words});
    if (!done) return done;
  }
  return {};
}

Expected<std::vector<HistoryEntry>> SqliteHistory::find(const HistoryFilter& filter) {
  std::string where = "1";
  std::vector<std::string> texts;
  const auto add = [&](std::string_view condition, std::string text) {
    where += concat(" AND ", condition);
    texts.push_back(std::move(text));
  };
  if (!filter.workspace.empty()) add("workspace = ?", filter.workspace);
  const std::vector<std::string> words = query_words(filter.query);
  for (const std::string& word : words)
    add("words LIKE ? ESCAPE '\\'", concat("% ", escaped_for_like(word), "%"));
  // The name of a file is meant as it is: c.txt is not "created a.txt".
  for (const std::string_view piece : split(filter.query, ' '))
    if (const std::string name = name_in(piece); !name.empty())
      add("instr(lower(subject || ' ' || text), ?)", name);
  if (words.empty() && !trim(filter.query).empty()) add("instr(text, ?)", std::string(trim(filter.query)));
  return connection_.use(Access::kRead, [&](Database& database) -> Expected<std::vector<HistoryEntry>> {
    Values values(texts.begin(), texts.end());
    values.emplace_back(static_cast<std::int64_t>(filter.most));
    std::vector<HistoryEntry> found;
    auto done = database.each(
        concat("SELECT number, time, workspace, session, kind, subject, text FROM history WHERE ", where,
               " ORDER BY number DESC LIMIT ?"),
        values, [&](const Row& row) {
          found.push_back({.number = static_cast<std::uint64_t>(row.integer(0)),
                           .time = row.text(1),
                           .workspace = row.text(2),
                           .session = row.text(3),
                           .deed = {.kind = row.text(4), .subject = row.text(5), .text = row.text(6)}});
        });
    if (!done) return fail(std::move(done).error());
    return found;
  });
}

}  // namespace helve::store
