// What the code tools share: opening a source, asking the index, and saying how far an answer is to be
// trusted.
#pragma once

#include <string>
#include <vector>

#include "code/extract.h"
#include "code/source_text.h"
#include "code/symbol_search.h"
#include "helve/context.h"
#include "helve/error.h"

namespace helve {

// A source file with its structure. INVALID_ARGUMENT with the reason when it cannot be parsed.
struct AnalysedFile {
  std::string path;
  code::SourceText source;
  code::FileAnalysis analysis;
};
[[nodiscard]] Expected<AnalysedFile> analyse_file(Context& context, const std::string& path,
                                                  code::Depth depth);

// The index, brought up to date, with what rules hide left out.
struct IndexAnswer {
  code::IndexView view;
  code::SymbolFilter filter;
  std::string prefix = {};                 // before the paths of the view, when that is of a directory alone
  std::shared_ptr<code::SymbolIndex> own;  // of an ignored directory, made for this answer
  std::shared_ptr<Root> own_root;
  std::vector<std::string> notes = {};  // sentences: what is missing and why
};
// `directory` is relative to the workspace, "" for all of it. One that ignore files leave out is read for
// this answer alone.
[[nodiscard]] Expected<IndexAnswer> ask_index(Context& context, const std::string& directory);

// The lines of a file around a symbol, read now.
class SourceReader {
 public:
  SourceReader(const Root& root, std::string prefix = {}) : root_(root), prefix_(std::move(prefix)) {}
  // The definition's head on one line; its name when the file has changed meanwhile.
  [[nodiscard]] std::string signature(const code::FoundSymbol& found);
  // Lines `first` to `last` with their numbers.
  [[nodiscard]] std::string numbered(const code::FoundSymbol& found, std::uint32_t first, std::uint32_t last);

 private:
  const std::string& text_of(const code::FoundSymbol& found);

  const Root& root_;
  std::string prefix_;
  std::string path_ = {};  // of the text
  std::string text_ = {};
  bool same_ = false;  // as the index knows it
};

// "There are parsers for Python, JavaScript, …"
[[nodiscard]] std::string describe_parsers();

}  // namespace helve
