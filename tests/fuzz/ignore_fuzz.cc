// Feeds arbitrary ignore files to the rule list: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "search/ignore_file.h"

// The file, then a NUL and the path. The quick way to the last matching rule must end where the plain one
// does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const std::size_t end = text.find('\0');
  const std::string file = text.substr(0, end);
  const std::string path = end == std::string::npos ? "a/b.c" : text.substr(end + 1);
  (void)helve::search::ignore_settings_in(file, "/home");
  const helve::search::RuleList rules = helve::search::parse_ignore_file(file);
  for (const bool is_directory : {false, true}) {
    const helve::search::Candidate candidate(path, is_directory);
    if (rules.last_match(candidate) != rules.last_match_by_trying_all(candidate)) __builtin_trap();
  }
  return 0;
}
