// Feeds one fuzzer the inputs of a text file, one per line, so that faults found by fuzzing stay fixed.
//
//   fuzz_replay FUZZER INPUTS
//
// \n, \t, \\ and \xHH in a line stand for single bytes.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "fuzzer_table.h"

namespace {

std::string unescaped(const std::string& line) {
  std::string bytes;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      bytes += line[i];
      continue;
    }
    ++i;
    if (line[i] == 'x' && i + 2 < line.size()) {
      bytes += static_cast<char>(std::stoi(line.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      bytes += line[i] == 'n' ? '\n' : line[i] == 't' ? '\t' : line[i];
    }
  }
  return bytes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: fuzz_replay FUZZER INPUTS\n", stderr);
    return 2;
  }
  const auto fuzzer = std::ranges::find(fuzzers(), std::string_view(arguments[1]), &Fuzzer::name);
  if (fuzzer == fuzzers().end()) {
    std::fprintf(stderr, "%s: no such fuzzer\n", arguments[1]);
    return 2;
  }
  std::ifstream file(arguments[2]);
  std::size_t inputs = 0;
  for (std::string line; std::getline(file, line); ++inputs) {
    const std::string bytes = unescaped(line);
    // A buffer of exactly that size, so that sanitizers see reading beyond it.
    const std::basic_string<std::uint8_t> exact(bytes.begin(), bytes.end());
    fuzzer->run(exact.data(), exact.size());
  }
  std::printf("%zu inputs\n", inputs);
  return inputs > 0 ? 0 : 1;
}
