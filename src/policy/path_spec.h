// The spec of a rule about files: the part in parentheses of read(./secrets/**), edit(/src/**), read(*.env).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "policy/location.h"
#include "policy/match.h"
#include "policy/matching_files.h"
#include "search/glob.h"

namespace helve::policy {

// Written like a line of an ignore file, with the prefixes of Claude Code:
//   //etc/**               from the root of the file system
//   ~/.ssh/**              from the home directory
//   /src/**  ./src  a/b    from the workspace: anything else that contains a slash
//   *.env  .env  **/.env   at any depth ("floating")
// A spec that names a directory covers everything in it.
class PathSpec {
 public:
  // A restricting spec ignores case and covers a path when it covers either form, written or resolved, or
  // when the path is a hard link of a file in the workspace that the spec covers. A granting spec must cover
  // both forms exactly.
  enum class Purpose { kRestrict, kGrant };
  // Whether a call is about the path alone, or also about the contents of the directory.
  enum class Extent { kItself, kContents };

  [[nodiscard]] static Expected<PathSpec> compile(std::string_view spec, const Surroundings& surroundings,
                                                  Purpose purpose);

  [[nodiscard]] bool covers(const Location& location, Extent extent) const;
  // True when the literal part of the spec is inside `directory`; always false for a floating spec.
  [[nodiscard]] bool begins_beneath(const Location& directory) const;
  // Whether an absolute shell pattern could expand to a covered path.
  [[nodiscard]] Match covers_pattern(std::string_view pattern) const;
  // True when it certainly covers everything that `other` covers, judging by the texts.
  [[nodiscard]] bool is_as_wide_as(const PathSpec& other) const;

  [[nodiscard]] bool floats() const { return floats_; }
  // A glob relative to the workspace, for search engines that skip covered files; none when the spec is
  // outside of the workspace.
  [[nodiscard]] std::optional<std::string> workspace_glob() const;
  // The file or directory that the spec names without wildcards, or before a closing /**; otherwise empty.
  [[nodiscard]] std::string literal_path() const {
    return floats_ || (glob_ && text_ != "**") ? std::string() : spelled_.back();
  }

 private:
  [[nodiscard]] bool covers_path(std::string_view path) const;
  [[nodiscard]] bool covers_beneath(std::string_view rest) const;
  [[nodiscard]] bool is_same_file(const std::string& real) const;

  Purpose purpose_ = Purpose::kRestrict;
  bool floats_ = false;
  std::string workspace_;
  std::string text_;                           // the glob after the anchor
  std::vector<std::string> anchors_;           // as written and resolved; lower case when restricting
  std::vector<std::string> spelled_;           // the same in their original case
  std::optional<search::Glob> glob_;           // none: everything below the anchor
  std::shared_ptr<MatchingFiles> files_ = {};  // of a restricting spec with a glob
};

}  // namespace helve::policy
