// Recorded sessions and the history index in SQLite.
#include <algorithm>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "store/code_words.h"
#include "store/sqlite_parts.h"

namespace helve::store {
namespace {

using Access = SqliteConnection::Access;

constexpr std::size_t kMaxTitle = 1000;  // bytes

struct StoredSession {
  std::int64_t number = 0;
  SessionRecord record;
};

constexpr std::string_view kColumns = "number, id, title, workspace, model, created, updated, last_seq";

SessionRecord record_of(const Row& row) {
  return {.id = row.text(1),
          .title = row.text(2),
          .workspace = row.text(3),
          .model = row.text(4),
          .created = row.text(5),
          .updated = row.text(6),
          .last_seq = static_cast<std::uint64_t>(row.integer(7))};
}

Error no_such_session(Database& database, std::string_view id) {
  std::vector<std::string> known;
  auto listed = database.each("SELECT id FROM sessions ORDER BY revision DESC LIMIT 1000", {},
                              [&](const Row& row) { known.push_back(row.text(0)); });
  if (!listed) return listed.error();
  const std::vector<std::string> near = nearest(id, known);
  return {ErrorCode::kNotFound, concat("There is no session \"", shortened(id, 100), "\"."),
          near.empty() ? "Run helve sessions list to see all sessions."
                       : concat("Did you mean ", near.front(), "?")};
}

Expected<StoredSession> find_session(Database& database, std::string_view id) {
  std::optional<StoredSession> found;
  std::string state;
  auto done = database.each(concat("SELECT ", kColumns, ", state FROM sessions WHERE id = ?"), {id},
                            [&](const Row& row) {
                              found = StoredSession{row.integer(0), record_of(row)};
                              state = row.text(8);
                            });
  if (!done) return fail(std::move(done).error());
  if (!found) return fail(no_such_session(database, id));
  auto parsed = parse_json(state);
  if (!parsed)
    return fail(ErrorCode::kExecutionFailed,
                concat("The state of session ", id, " cannot be read: ", parsed.error().message));
  found->record.state = *std::move(parsed);
  return *std::move(found);
}

Expected<void> check_texts(const std::string& title, const std::string& workspace, const std::string& model) {
  if (title.size() > kMaxTitle || model.size() > kMaxTitle || workspace.size() > 4096)
    return fail(ErrorCode::kInvalidArgument, "The session's title, model or workspace is too long.");
  return {};
}

Expected<void> check_events(const std::vector<EventDraft>& events) {
  for (const EventDraft& event : events) {
    if (event.kind.empty() || event.kind.size() > 100)
      return fail(ErrorCode::kInvalidArgument, "An event's kind must have 1 to 100 characters.");
    if (event.body.size() > kMaxEventBody)
      return fail(ErrorCode::kInvalidArgument,
                  concat("An event has ", with_thousands(event.body.size()), " bytes; the limit is ",
                         with_thousands(kMaxEventBody), "."));
  }
  return {};
}

Expected<std::int64_t> next_revision(Database& database) {
  return database.integer("SELECT coalesce(max(revision), 0) + 1 FROM sessions");
}

Expected<void> add_events(Database& database, StoredSession& session, const std::vector<EventDraft>& events,
                          const std::string& now) {
  for (const EventDraft& event : events) {
    auto done = database.run(
        "INSERT INTO session_events(session, seq, time, kind, body) VALUES (?, ?, ?, ?, ?)",
        {session.number, static_cast<std::int64_t>(++session.record.last_seq), now, event.kind, event.body});
    if (!done) return done;
  }
  return {};
}

Error conflict_error(const SessionRecord& record, std::uint64_t expected) {
  return {ErrorCode::kConflict,
          concat("Session ", record.id, " is at event ", record.last_seq, ", not ", expected,
                 ": another process continued it."),
          "Load the newer events, or start a new session.",
          JsonObject{{"lastSeq", record.last_seq}, {"expected", expected}}};
}

// The index stores only the beginning of long texts.
constexpr std::size_t kMaxText = 4096;

// The piece as a file name if it looks like one; empty otherwise.
std::string name_in(std::string_view piece) {
  while (piece.starts_with("./")) piece.remove_prefix(2);
  while (!piece.empty() && std::string_view(".,;:!?").contains(piece.back())) piece.remove_suffix(1);
  return piece.find_first_of("./") == std::string_view::npos ? std::string() : to_lower(piece);
}

Expected<void> add_actions(Database& database, const SessionRecord& session,
                           const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    const std::string text = shortened(action.text, kMaxText);
    const std::string words = concat(" ", code_words(concat(action.subject, "\n", text)));
    auto done = database.run(
        "INSERT INTO history(time, workspace, session, kind, subject, text, words) VALUES (?, ?, ?, ?, ?, ?, "
        "?)",
        {session.updated, session.workspace, session.id, action.kind, action.subject, text, words});
    if (!done) return done;
  }
  return {};
}

}  // namespace

Expected<SessionRecord> SqliteSessions::create(const SessionDraft& draft) {
  if (auto fits = check_texts(draft.title, draft.workspace, draft.model); !fits)
    return fail(std::move(fits).error());
  const bool is_name = draft.id.size() <= 100 && std::ranges::all_of(draft.id, [](char c) {
                         return is_letter_or_digit(c) || c == '_' || c == '-';
                       });
  if (!is_name)
    return fail(ErrorCode::kInvalidArgument,
                "A session id may contain only letters, digits, _ and -, at most 100 characters.");
  const std::string state = to_text(draft.state);
  return connection_.use(Access::kWrite, [&](Database& database) -> Expected<SessionRecord> {
    const std::string now = utc_timestamp();
    SessionRecord record{.id = draft.id.empty() ? random_id("ses") : draft.id,
                         .title = draft.title,
                         .workspace = draft.workspace,
                         .model = draft.model,
                         .state = draft.state,
                         .created = now,
                         .updated = now};
    const auto taken = database.integer("SELECT count(*) FROM sessions WHERE id = ?", {record.id});
    if (!taken) return fail(taken.error());
    if (*taken > 0)
      return fail(ErrorCode::kConflict, concat("There is already a session ", record.id, "."),
                  "Load it to continue it, or use another id.");
    const auto revision = next_revision(database);
    if (!revision) return fail(revision.error());
    auto done = database.run(
        "INSERT INTO sessions(id, title, workspace, model, state, created, updated, revision, last_seq) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
        {record.id, record.title, record.workspace, record.model, state, now, now, *revision});
    if (!done) return fail(std::move(done).error());
    return record;
  });
}

Expected<SessionRecord> SqliteSessions::append(std::string_view id, const SessionStep& step) {
  if (auto fits = check_texts(step.title.value_or(""), "", step.model.value_or("")); !fits)
    return fail(std::move(fits).error());
  if (auto fits = check_events(step.events); !fits) return fail(std::move(fits).error());
  return connection_.use(Access::kWrite, [&](Database& database) -> Expected<SessionRecord> {
    auto found = find_session(database, id);
    if (!found) return fail(std::move(found).error());
    SessionRecord& record = found->record;
    if (step.after_seq && *step.after_seq != record.last_seq)
      return fail(conflict_error(record, *step.after_seq));
    record.updated = utc_timestamp();
    if (step.title) record.title = *step.title;
    if (step.model) record.model = *step.model;
    if (step.state) record.state = *step.state;
    if (auto added = add_events(database, *found, step.events, record.updated); !added)
      return fail(std::move(added).error());
    if (auto added = add_actions(database, record, step.actions); !added)
      return fail(std::move(added).error());
    const auto revision = next_revision(database);
    if (!revision) return fail(revision.error());
    const auto last_seq = static_cast<std::int64_t>(record.last_seq);
    auto done = database.run(
        "UPDATE sessions SET title = ?, model = ?, updated = ?, revision = ?, last_seq = ? WHERE number = ?",
        {record.title, record.model, record.updated, *revision, last_seq, found->number});
    // States can be long, and most steps do not change them.
    if (done && step.state) {
      const std::string state = to_text(*step.state);
      done = database.run("UPDATE sessions SET state = ? WHERE number = ?", {state, found->number});
    }
    if (!done) return fail(std::move(done).error());
    return std::move(record);
  });
}

Expected<SessionRecord> SqliteSessions::load(std::string_view id) {
  return connection_.use(Access::kRead, [&](Database& database) -> Expected<SessionRecord> {
    auto found = find_session(database, id);
    if (!found) return fail(std::move(found).error());
    return std::move(found->record);
  });
}

Expected<std::vector<SessionEvent>> SqliteSessions::events(std::string_view id, std::uint64_t after_seq,
                                                           std::size_t most, std::size_t max_bytes) {
  return connection_.use(Access::kRead, [&](Database& database) -> Expected<std::vector<SessionEvent>> {
    const auto found = find_session(database, id);
    if (!found) return fail(found.error());
    std::vector<SessionEvent> events;
    const auto after = static_cast<std::int64_t>(std::min(after_seq, found->record.last_seq));
    std::int64_t up_to = after;
    std::size_t bytes = 0;
    // Query the sizes first, to read no more than `max_bytes`.
    auto done = database.each(
        "SELECT seq, length(CAST(body AS BLOB)) FROM session_events "
        "WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?",
        {found->number, after, static_cast<std::int64_t>(most)}, [&](const Row& row) {
          bytes += static_cast<std::size_t>(row.integer(1));
          if (bytes <= max_bytes || up_to == after) up_to = row.integer(0);
        });
    if (done)
      done = database.each(
          "SELECT seq, time, kind, body FROM session_events "
          "WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq",
          {found->number, after, up_to}, [&](const Row& row) {
            events.push_back({.seq = static_cast<std::uint64_t>(row.integer(0)),
                              .time = row.text(1),
                              .kind = row.text(2),
                              .body = row.text(3)});
          });
    if (!done) return fail(std::move(done).error());
    return events;
  });
}

Expected<SessionList> SqliteSessions::list(const SessionFilter& filter) {
  std::string where = "1";
  std::vector<std::string> texts;
  if (!filter.workspace.empty()) {
    where += " AND workspace = ?";
    texts.push_back(filter.workspace);
  }
  if (!filter.query.empty()) {
    where += " AND (title LIKE ? ESCAPE '\\' OR id LIKE ? ESCAPE '\\')";
    texts.insert(texts.end(), 2, concat("%", escaped_for_like(filter.query), "%"));
  }
  return connection_.use(Access::kRead, [&](Database& database) -> Expected<SessionList> {
    SessionList list;
    Values values(texts.begin(), texts.end());
    const auto total = database.integer(concat("SELECT count(*) FROM sessions WHERE ", where), values);
    if (!total) return fail(total.error());
    list.total = static_cast<std::size_t>(*total);
    values.emplace_back(static_cast<std::int64_t>(filter.most));
    values.emplace_back(static_cast<std::int64_t>(filter.skip));
    auto done = database.each(concat("SELECT ", kColumns, " FROM sessions WHERE ", where,
                                     " ORDER BY revision DESC LIMIT ? OFFSET ?"),
                              values, [&](const Row& row) { list.sessions.push_back(record_of(row)); });
    if (!done) return fail(std::move(done).error());
    return list;
  });
}

Expected<void> SqliteSessions::remove(std::string_view id) {
  return connection_.use(Access::kWrite, [&](Database& database) -> Expected<void> {
    const auto found = find_session(database, id);
    if (!found) return fail(found.error());
    if (auto removed = database.run("DELETE FROM history WHERE session = ?", {found->record.id}); !removed)
      return removed;
    return database.run("DELETE FROM sessions WHERE number = ?", {found->number});
  });
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
  // File names match literally: c.txt must not find "created a.txt".
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
                           .action = {.kind = row.text(4), .subject = row.text(5), .text = row.text(6)}});
        });
    if (!done) return fail(std::move(done).error());
    return found;
  });
}

}  // namespace helve::store
