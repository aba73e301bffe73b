// A thin, owning layer over SQLite's C interface, which only sqlite.cc sees.
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

// What kind of trouble a database had, as Error::details.kind tells it.
inline constexpr std::string_view kBusy = "DATABASE_BUSY";  // another process holds it; worth another try
inline constexpr std::string_view kDamaged = "DATABASE_DAMAGED";
inline constexpr std::string_view kIndexDamaged = "INDEX_DAMAGED";  // of the search; can be made again
inline constexpr std::string_view kDiskFull = "DISK_FULL";
inline constexpr std::string_view kNotWritable = "NOT_WRITABLE";
inline constexpr std::string_view kInterrupted = "INTERRUPTED";  // by the limit on its time
inline constexpr std::string_view kNewer = "DATABASE_NEWER";     // made by a later version of Helve
inline constexpr std::string_view kForeign = "DATABASE_FOREIGN";

[[nodiscard]] bool is_trouble(const Error& error, std::string_view kind);

// A value for a place in a statement. Text must live until the statement has run.
struct Value {
  Value(std::string_view value) : text(value), is_text(true) {}
  Value(const std::string& value) : text(value), is_text(true) {}
  Value(std::int64_t value) : integer(value) {}

  std::string_view text = {};
  std::int64_t integer = 0;
  bool is_text = false;
};
using Values = std::vector<Value>;

// The current row of a query; valid inside of the function that gets it.
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

// One connection, owned by whoever opened it; for one thread at a time.
class Database {
 public:
  struct Options {
    bool create = false;
    bool read_only = false;
    // How long a statement waits for other processes before it fails with kBusy.
    std::chrono::milliseconds patience = std::chrono::seconds(30);
  };
  [[nodiscard]] static Expected<Database> open(const std::string& path, const Options& options);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // One statement without rows.
  [[nodiscard]] Expected<void> run(std::string_view sql, const Values& values = {});
  // One query; `on_row` gets each row.
  [[nodiscard]] Expected<void> each(std::string_view sql, const Values& values,
                                    const std::function<void(const Row&)>& on_row);
  // The first column of the first row; the default when there is none.
  [[nodiscard]] Expected<std::int64_t> integer(std::string_view sql, const Values& values = {},
                                               std::int64_t otherwise = 0);
  [[nodiscard]] Expected<std::string> text(std::string_view sql, const Values& values = {});
  // Several statements without values, for schemas.
  [[nodiscard]] Expected<void> run_script(const std::string& sql);

  // Rows that the last statement changed.
  [[nodiscard]] std::int64_t changed_rows() const;
  [[nodiscard]] std::int64_t last_row() const;

  // What is wrong with the structure of the file, one line each; empty when it is sound. With a limit on its
  // time it may fail with kInterrupted. A whole check also compares the indexes with the tables.
  enum class Depth { kQuick, kWhole };
  [[nodiscard]] Expected<std::vector<std::string>> check(
      Depth depth, std::chrono::milliseconds time_limit = std::chrono::milliseconds::max());

  // Copies everything, as of one moment, into a file that stands on its own. The file must not exist yet.
  [[nodiscard]] Expected<void> copy_to(const std::string& path);

 private:
  struct Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

// Random, so that processes which wait for the same thing do not come back at the same time.
void wait_a_little(int attempt);

// Whether the SQLite that is linked has full-text search.
[[nodiscard]] bool has_full_text_search();

}  // namespace helve::store
