// Helpers for tests of diff and patch: random texts, a temporary directory, external programs.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "base/strings.h"
#include "base/test_directory.h"

namespace helve::patch {

inline constexpr unsigned kSeed = 20240611;

// A temporary directory in which programs can be run.
class CommandDirectory : public TestDirectory {
 public:
  [[nodiscard]] int run(const std::string& command) const {
    return std::system(("cd '" + path() + "' && " + command + " >output 2>&1").c_str());
  }
};

inline bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

inline std::string random_text(std::mt19937& random, std::size_t lines, unsigned kinds) {
  std::string text;
  for (std::size_t n = 0; n < lines; ++n) {
    text += std::string(random() % 3, ' ') + concat("w", random() % kinds);
    if (random() % 8 == 0) text += '\r';
    if (random() % 9 == 0) text += "\xE9\x80";
    text += '\n';
  }
  if (random() % 3 == 0 && !text.empty()) text.pop_back();
  return text;
}

inline std::string with_random_edits(std::mt19937& random, const std::string& text, unsigned kinds) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const unsigned what = static_cast<unsigned>(random() % 20);
    if (what == 0) out += random_text(random, random() % 4, kinds) + "\n";
    if (what == 1) out += concat("changed", random() % kinds, "\n");
    if (what > 2) out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

}  // namespace helve::patch
