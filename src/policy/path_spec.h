// The part in brackets of a rule about files: read(./secrets/**), edit(/src/**), read(*.env).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "policy/location.h"
#include "policy/match.h"
#include "search/glob.h"

namespace helve::policy {

// Read like a line of an ignore file, with the beginnings that Claude Code has:
//   //etc/**        from the root of the file system
//   ~/.ssh/**       from the home directory
//   /src/**  ./src  from the workspace, as is whatever has a slash in it
//   *.env  .env     no slash: at any depth, **/.env likewise
// What it names covers everything beneath. A value; may be used from all threads.
class PathSpec {
 public:
  // A spec that restricts covers a path when either of its forms, written or real, is covered in any case, or
  // when it is another name (hard link) of the file that the spec spells out. One that grants must cover both
  // exactly.
  enum class Purpose { kRestrict, kGrant };
  // Whether only the thing itself is meant, or what lies in it too.
  enum class Extent { kItself, kContents };

  [[nodiscard]] static Expected<PathSpec> compile(std::string_view spec, const Surroundings& surroundings,
                                                  Purpose purpose);

  [[nodiscard]] bool covers(const Location& location, Extent extent) const;
  // True when something that it covers could lie beneath `directory`, as far as its literal beginning tells;
  // a spec that floats at any depth says no.
  [[nodiscard]] bool begins_beneath(const Location& directory) const;
  // Whether the expansion of a shell pattern, absolute as written, could give a path that it covers.
  [[nodiscard]] Match covers_pattern(std::string_view pattern) const;
  // True when it covers all that `other` covers, as far as the texts tell.
  [[nodiscard]] bool is_as_wide_as(const PathSpec& other) const;

  [[nodiscard]] bool floats() const { return floats_; }
  // For the engines that leave covered files out: the glob in workspace terms; nothing when it lies outside.
  [[nodiscard]] std::optional<std::string> workspace_glob() const;
  // The file or directory that is covered with all that is in it, when it is one; empty otherwise.
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
  std::string text_;                  // the glob behind the anchor
  std::vector<std::string> anchors_;  // as written and real; lower case when restricting
  std::vector<std::string> spelled_;  // the same in their own case
  std::optional<search::Glob> glob_;  // nothing: all beneath the anchor
};

}  // namespace helve::policy
