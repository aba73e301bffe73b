// Helpers for store tests: opening a store, and work in child processes.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "base/test_directory.h"
#include "store/sqlite_store.h"

namespace helve::store {

// Runs `work` in a child process that exits without cleanup. Returns its exit code.
inline int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Opens the store of a directory; fails the test if that is not possible.
inline std::unique_ptr<Store> open_store(const std::string& directory) {
  auto store = open_sqlite_store({.directory = directory});
  if (!store) ADD_FAILURE() << store.error().message;
  return store ? *std::move(store) : nullptr;
}

inline std::vector<std::string> names_of(const SnippetList& list) {
  std::vector<std::string> names;
  for (const SnippetEntry& entry : list.snippets) names.push_back(entry.name);
  return names;
}

}  // namespace helve::store
