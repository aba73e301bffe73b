// The parts of the SQLite store. They share one connection.
#pragma once

#include "store/session_records.h"
#include "store/snippets.h"
#include "store/sqlite_connection.h"

namespace helve::store {

class SqliteSnippets final : public Snippets {
 public:
  explicit SqliteSnippets(SqliteConnection& connection) : connection_(connection) {}
  Expected<SavedSnippet> save(const SnippetDraft& draft) override;
  Expected<SavedSnippet> preview(const SnippetDraft& draft) override;
  Expected<Snippet> load(std::string_view name_or_id) override;
  Expected<SnippetList> list(const SnippetFilter& filter) override;
  Expected<Snippet> remove(std::string_view name_or_id) override;

 private:
  SqliteConnection& connection_;
};

class SqliteSessions final : public SessionRecords {
 public:
  explicit SqliteSessions(SqliteConnection& connection) : connection_(connection) {}
  Expected<SessionRecord> create(const SessionDraft& draft) override;
  Expected<SessionRecord> append(std::string_view id, const SessionStep& step) override;
  Expected<SessionRecord> load(std::string_view id) override;
  Expected<std::vector<SessionEvent>> events(std::string_view id, std::uint64_t after_seq, std::size_t most,
                                             std::size_t max_bytes) override;
  Expected<SessionList> list(const SessionFilter& filter) override;
  Expected<void> remove(std::string_view id) override;

 private:
  SqliteConnection& connection_;
};

class SqliteHistory final : public HistoryIndex {
 public:
  explicit SqliteHistory(SqliteConnection& connection) : connection_(connection) {}
  Expected<std::vector<HistoryEntry>> find(const HistoryFilter& filter) override;

 private:
  SqliteConnection& connection_;
};

}  // namespace helve::store
