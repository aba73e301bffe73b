// Finds the files of the workspace that mention a name, independently of a language server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "lsp/connection.h"
#include "lsp/server_spec.h"
#include "search/grep.h"
#include "workspace/root.h"

namespace helve::lsp {

// A source file of the server's languages that mentions the name.
struct MentioningFile {
  std::string path;  // absolute
  std::shared_ptr<const std::string> text;
  std::vector<std::size_t> in_code = {};  // byte offsets in the text
  std::vector<std::size_t> in_prose = {};
};

struct Mentions {
  std::vector<MentioningFile> files = {};     // sorted by path
  std::vector<std::string> unread = {};       // source files over the limits, relative to the workspace
  std::vector<std::string> other_files = {};  // of other languages, relative to the workspace
  bool is_cut = false;                        // the search stopped early, so more files may mention it

  [[nodiscard]] const MentioningFile* find(std::string_view path) const;
};

struct MentionQuery {
  const workspace::Root& workspace;
  const ServerSpec& spec;
  const search::EngineChoice& engine;
  Logger& logger;
  std::function<bool(const std::string& path)> hides = {};  // as in Questions::Options
  std::size_t most_files = 400;
  std::size_t most_bytes = std::size_t{12} << 20;
};

// Skips what ignore files exclude and installed dependencies.
[[nodiscard]] Expected<Mentions> find_mentions(const MentionQuery& query, const std::string& name,
                                               const WaitLimit& limit);

[[nodiscard]] bool is_in_word(char c);
// A pattern that matches exactly this word.
[[nodiscard]] std::string word_pattern(std::string_view word);

}  // namespace helve::lsp
