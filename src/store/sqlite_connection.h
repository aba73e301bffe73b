// The store's only database connection: it creates, checks and migrates the file, and sets damaged files
// aside.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include "store/database_file.h"
#include "store/sqlite.h"
#include "store/sqlite_store.h"

namespace helve::store {

// Owned by the store and shared by its parts; every function may be called from any thread.
class SqliteConnection {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<SqliteConnection>> open(const SqliteOptions& options);
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  ~SqliteConnection();

  enum class Access { kRead, kWrite };
  // Runs `work` in one transaction and repeats it when another process interferes. `work` must therefore have
  // no side effects outside the database when it fails.
  template <class Work>
  auto use(Access access, const Work& work) -> std::invoke_result_t<const Work&, Database&> {
    std::optional<std::invoke_result_t<const Work&, Database&>> result;
    auto done = perform(access, [&](Database& database) -> Expected<void> {
      result.emplace(work(database));
      if (!*result) return fail(result->error());
      return {};
    });
    if (!done) return fail(std::move(done).error());
    return *std::move(result);
  }
  // Runs `work` outside a transaction.
  [[nodiscard]] Expected<void> run_outside_transaction(const std::function<Expected<void>(Database&)>& work);

  [[nodiscard]] bool has_search() const { return has_search_; }
  [[nodiscard]] const DatabaseFiles& files() const { return files_; }

 private:
  using Work = std::function<Expected<void>(Database&)>;

  explicit SqliteConnection(const SqliteOptions& options);
  [[nodiscard]] Expected<void> perform(Access access, const Work& work);
  [[nodiscard]] Expected<void> retry_while_busy(const std::function<Expected<void>()>& step);
  [[nodiscard]] Expected<void> run_once(Access access, const Work& work);

  [[nodiscard]] Expected<void> connect();
  [[nodiscard]] Expected<void> connect_holding_lock(bool exclusive);
  [[nodiscard]] Expected<void> create_database();
  [[nodiscard]] Expected<void> update_tables();
  [[nodiscard]] Error handle_damage(const Error& damage);
  void disconnect();

  const SqliteOptions options_;
  const DatabaseFiles files_;
  const bool has_search_;
  std::mutex mutex_;
  std::optional<DatabaseLock> lock_;
  std::optional<Database> database_;  // empty after damage, until the file exists again
};

}  // namespace helve::store
