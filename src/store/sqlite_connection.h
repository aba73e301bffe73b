// The one connection of a store: opened with care, used in turns, and put aside when its file is damaged.
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

// Owned by the store, shared by its parts; all functions may be used from all threads.
class SqliteConnection {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<SqliteConnection>> open(const SqliteOptions& options);
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  ~SqliteConnection();

  enum class Access { kRead, kWrite };
  // Does the work in one transaction, again from the start when another process was in the way; so it must
  // not leave anything behind when it fails.
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
  // Outside of a transaction.
  [[nodiscard]] Expected<void> perform_alone(const std::function<Expected<void>(Database&)>& work);

  // Whether there is an index for full-text search.
  [[nodiscard]] bool has_search() const { return has_search_; }
  [[nodiscard]] const DatabaseFiles& files() const { return files_; }

 private:
  using Work = std::function<Expected<void>(Database&)>;

  explicit SqliteConnection(const SqliteOptions& options);
  [[nodiscard]] Expected<void> perform(Access access, const Work& work);
  [[nodiscard]] Expected<void> patiently(const std::function<Expected<void>()>& step);
  [[nodiscard]] Expected<void> once(Access access, const Work& work);

  [[nodiscard]] Expected<void> connect();
  [[nodiscard]] Expected<void> connect_holding_lock(bool alone);
  [[nodiscard]] Expected<void> make_database();
  [[nodiscard]] Expected<void> update_tables();
  [[nodiscard]] Error after_damage(const Error& damage);
  void disconnect();

  const SqliteOptions options_;
  const DatabaseFiles files_;
  const bool has_search_;
  std::mutex mutex_;
  std::optional<DatabaseLock> lock_;
  std::optional<Database> database_;  // none after damage, until the file is there again
};

}  // namespace helve::store
