// Feeds arbitrary texts to the extraction of definitions: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "code/extract.h"
#include "code/outline.h"
#include "code/source_text.h"
#include "tools/analysis_json.h"

// The first byte chooses the language, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace helve::code;
  constexpr std::string_view kNames[] = {"a.py", "a.js",   "a.ts", "a.tsx", "a.c",   "a.cc", "a.rs",
                                         "a.go", "A.java", "a.cs", "a.rb",  "a.php", "a.sh"};
  if (size == 0) return 0;
  const std::string bytes(data + 1, data + size);
  const SourceText source = read_source(kNames[data[0] % std::size(kNames)], bytes);
  if (!source.skipped.empty()) return 0;
  const ParseLimits limits{.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5)};
  const FileAnalysis analysis = extract(source.text, source.language, Depth::kDetails, limits);
  for (std::size_t i = 0; i < analysis.symbols.size(); ++i) {
    const Symbol& symbol = analysis.symbols[i];
    // All callers rely on this: parents first, lines in order and in the file, heads within the text.
    if (symbol.name.empty() || (symbol.parent != kNoParent && symbol.parent >= i)) __builtin_trap();
    if (symbol.line == 0 || symbol.line > symbol.end_line || symbol.name_line < symbol.line) __builtin_trap();
    if (symbol.signature_begin > symbol.signature_end || symbol.signature_end > source.text.size())
      __builtin_trap();
    (void)signature_of(source.text, symbol.signature_begin, symbol.signature_end);
  }
  if (make_outline(analysis, source.text, 500).text.size() > 2000) __builtin_trap();
  (void)helve::tools::analysis_json_within("a", analysis, source.text, source.text.size());
  return 0;
}
