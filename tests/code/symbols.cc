// Prints the definitions in source files, one per line with tabs between, for tests/code/compare.py.
//
//   code_symbols [--details] FILE…
//
// path, line of the name, kind, name, container
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "code/extract.h"
#include "code/source_text.h"

int main(int count, char** arguments) {
  using namespace helve::code;
  Depth depth = Depth::kNames;
  for (int i = 1; i < count; ++i) {
    const std::string path = arguments[i];
    if (path == "--details") {
      depth = Depth::kDetails;
      continue;
    }
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const SourceText source = read_source(path, bytes);
    if (!source.skipped.empty()) {
      std::printf("%s\t0\tskipped\t%s\t\n", path.c_str(), source.skipped.c_str());
      continue;
    }
    const FileAnalysis analysis = extract(source.text, source.language, depth, {});
    if (analysis.error_regions > 0)
      std::printf("%s\t%u\terrors\t%u\t\n", path.c_str(), analysis.error_lines.front(),
                  analysis.error_regions);
    for (const std::string& import : analysis.imports)
      std::printf("%s\t0\timport\t%s\t\n", path.c_str(), import.c_str());
    for (const Symbol& symbol : analysis.symbols) {
      std::printf("%s\t%u\t%.*s\t%s\t%s", path.c_str(), symbol.name_line,
                  static_cast<int>(to_string(symbol.kind).size()), to_string(symbol.kind).data(),
                  symbol.name.c_str(), container_of(analysis.symbols, symbol).c_str());
      if (depth == Depth::kDetails) {
        std::printf("\t%u-%u:%u%s%s c=%u\t%s\t", symbol.line, symbol.end_line, symbol.column,
                    symbol.declaration ? " declaration" : "", symbol.is_async ? " async" : "",
                    symbol.complexity,
                    signature_of(source.text, symbol.signature_begin, symbol.signature_end).c_str());
        for (const std::string& parameter : symbol.parameters) std::printf("[%s]", parameter.c_str());
        std::printf(" -> %s", symbol.return_type.c_str());
        for (const std::string& base : symbol.bases) std::printf(" <%s>", base.c_str());
        for (const std::string& decorator : symbol.decorators) std::printf(" %s", decorator.c_str());
        std::printf(" \"%s\"", on_one_line(symbol.doc).c_str());
      }
      std::printf("\n");
    }
  }
}
