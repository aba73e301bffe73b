// Shared by the code tools: parsing a source, querying the index, and reporting the limits of an answer.
#pragma once

#include <string>
#include <vector>

#include "code/extract.h"
#include "code/source_text.h"
#include "code/symbol_search.h"
#include "helve/context.h"
#include "helve/error.h"

namespace helve::toolkit {

// A source file with its structure. INVALID_ARGUMENT with the reason when it cannot be parsed.
struct AnalysedFile {
  std::string path;
  code::SourceText source;
  code::FileAnalysis analysis;
};
[[nodiscard]] Expected<AnalysedFile> analyse_file(Context& context, const std::string& path,
                                                  code::Depth depth);

// An up-to-date view of the index, without files that rules hide.
struct IndexAnswer {
  code::IndexView view;
  code::SymbolFilter filter;
  std::string prefix = {};                 // goes before the view's paths when the view covers one directory
  std::shared_ptr<code::SymbolIndex> own;  // index of an ignored directory, built for this answer
  std::shared_ptr<workspace::Root> own_root;
  std::vector<std::string> notes = {};  // sentences that say what is missing and why
};
// `directory` is relative to the workspace, "" for all of it. An ignored directory is indexed for this answer
// only.
[[nodiscard]] Expected<IndexAnswer> ask_index(Context& context, const std::string& directory);

// Reads the lines of a file around a symbol.
class SourceReader {
 public:
  SourceReader(const workspace::Root& root, std::string prefix = {})
      : root_(root), prefix_(std::move(prefix)) {}
  // The definition's signature on one line; only the name if the file has changed since it was indexed.
  [[nodiscard]] std::string signature(const code::FoundSymbol& found);
  // Lines `first` to `last` with their numbers.
  [[nodiscard]] std::string numbered(const code::FoundSymbol& found, std::uint32_t first, std::uint32_t last);

 private:
  const std::string& text_of(const code::FoundSymbol& found);

  const workspace::Root& root_;
  std::string prefix_;
  std::string path_ = {};  // whose text is loaded
  std::string text_ = {};
  bool same_ = false;  // the file is unchanged since it was indexed
};

// "There are parsers for Python, JavaScript, …"
[[nodiscard]] std::string describe_parsers();

}  // namespace helve::toolkit
