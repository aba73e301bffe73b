// Collects the entries that a walk delivers, for tests.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/test_directory.h"
#include "search/walker.h"

namespace helve::search {

// Paths in commit order; directories end with `/`.
class PathCollector : public Visitor {
 public:
  struct Paths : Findings {
    std::vector<std::string> paths;
  };

  std::unique_ptr<Findings> visit(unsigned, const FileBatch& batch) override {
    auto found = std::make_unique<Paths>();
    EXPECT_GE(batch.directory_fd, 0);
    EXPECT_LE(batch.files.size(), kMostFilesInBatch);
    for (const FileEntry& entry : batch.files) {
      std::string path(batch.directory_path);
      path += entry.name;
      if (entry.type == EntryType::kDirectory) path += '/';
      found->paths.push_back(std::move(path));
    }
    ++visits;
    return found;
  }

  bool commit(std::unique_ptr<Findings> findings, const FileBatch& batch) override {
    auto& found = static_cast<Paths&>(*findings);
    EXPECT_EQ(found.paths.size(), batch.files.size());
    paths.insert(paths.end(), found.paths.begin(), found.paths.end());
    return paths.size() < most;
  }

  std::vector<std::string> paths;
  std::atomic<std::size_t> visits = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

using Paths = std::vector<std::string>;

struct WalkResult {
  Paths paths;
  WalkReport report;
};

// Does not read the git configuration of the user who runs the tests.
inline WalkResult walk_in(const std::string& root_path, WalkOptions options = {}) {
  if (!options.environment) options.environment = IgnoreEnvironment{};
  const auto root = workspace::Root::open(root_path);
  EXPECT_TRUE(root);
  PathCollector collector;
  auto report = walk(*root, options, collector);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  return {std::move(collector.paths), report ? std::move(*report) : WalkReport()};
}

}  // namespace helve::search
