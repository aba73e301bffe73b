// Feeds arbitrary globs and paths to the glob matcher: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/glob.h"
#include "search/glob_rules.h"

// The first byte has the options, then come the glob and, after a NUL, the path.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  using Syntax = helve::search::GlobOptions::Syntax;
  const helve::search::GlobOptions options{.syntax = (data[0] & 1) == 0    ? Syntax::kGitName
                                                     : (data[0] & 16) != 0 ? Syntax::kExtended
                                                     : (data[0] & 32) != 0 ? Syntax::kGitPath
                                                                           : Syntax::kPlain,
                                           .ignore_case = (data[0] & 2) != 0,
                                           .lenient_classes = (data[0] & 4) != 0};
  const std::size_t end = text.find('\0');
  const std::string pattern = text.substr(0, end);
  const std::string path = end == std::string::npos ? pattern : text.substr(end + 1);
  const auto glob = helve::search::Glob::compile(pattern, options);
  if (glob) {
    const bool matched = glob->matches(path);
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    // The stated requirements of a match must hold for every match.
    if (matched && !options.ignore_case) {
      if (!glob->required_name().empty() && glob->required_name() != name) __builtin_trap();
      if (!glob->required_extension().empty() && (name.rfind('.') == std::string_view::npos ||
                                                  name.substr(name.rfind('.')) != glob->required_extension()))
        __builtin_trap();
    }
  } else if (glob.error().message.empty()) {
    __builtin_trap();
  }
  const auto chosen = helve::search::FileGlobs::compile(std::vector<std::string>{pattern, "!" + path},
                                                        {.ignore_case = options.ignore_case});
  if (chosen) (void)chosen->judge(path, (data[0] & 8) != 0);
  return 0;
}
