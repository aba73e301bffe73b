// An RAII wrapper around SQLite's C interface. Only sqlite.cc includes sqlite3.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace helve::store {

// A value for a placeholder. Text must stay valid until the statement has run.
struct Value {
  Value(std::string_view value) : text(value), is_text(true) {}
  Value(const std::string& value) : text(value), is_text(true) {}
  Value(std::int64_t value) : integer(value) {}

  std::string_view text = {};
  std::int64_t integer = 0;
  bool is_text = false;
};
using Values = std::vector<Value>;

// The current row of a query; valid only inside the callback.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] int columns() const;
  [[nodiscard]] bool is_integer(int column) const;

 private:
  sqlite3_stmt* statement_;
};

// One connection; used from one thread at a time.
class Database {
 public:
  struct Options {
    bool create = false;
    bool read_only = false;
    // How long a statement waits for other processes before it fails with kDatabaseBusy.
    std::chrono::milliseconds timeout = std::chrono::seconds(30);
  };
  [[nodiscard]] static Expected<Database> open(const std::string& path, const Options& options);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // Runs one statement without rows.
  [[nodiscard]] Expected<void> run(std::string_view sql, const Values& values = {});
  // Runs one query and calls `on_row` for each row.
  [[nodiscard]] Expected<void> each(std::string_view sql, const Values& values,
                                    const std::function<void(const Row&)>& on_row);
  // The first column of the first row; `otherwise` without rows.
  [[nodiscard]] Expected<std::int64_t> integer(std::string_view sql, const Values& values = {},
                                               std::int64_t otherwise = 0);
  [[nodiscard]] Expected<std::string> text(std::string_view sql, const Values& values = {});
  // Runs several statements without values, for schemas.
  [[nodiscard]] Expected<void> run_script(const std::string& sql);

  // The number of rows that the last statement changed.
  [[nodiscard]] std::int64_t changed_rows() const;
  [[nodiscard]] std::int64_t last_row() const;

  // Structural problems of the file, one line each; empty without damage. Fails with kDatabaseInterrupted
  // when the time limit is reached. A full check also compares the indexes with the tables.
  enum class Depth { kQuick, kFull };
  [[nodiscard]] Expected<std::vector<std::string>> check(
      Depth depth, std::chrono::milliseconds time_limit = std::chrono::milliseconds::max());

  // Writes a consistent copy to a single file, which must not exist yet.
  [[nodiscard]] Expected<void> copy_to(const std::string& path);

 private:
  struct Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

// Sleeps before a retry. The time is random, so that waiting processes do not retry simultaneously.
void back_off(int attempt);

// Escapes text for LIKE with ESCAPE '\': 50% becomes 50\%.
[[nodiscard]] std::string escaped_for_like(std::string_view text);

// Whether the linked SQLite has full-text search.
[[nodiscard]] bool has_full_text_search();

}  // namespace helve::store
