// Feeds a fuzzer the inputs of a text file, one per line, so that what fuzzing once found stays found without
// it.
//
//   NAME_replay INPUTS
//
// \n, \t, \\ and \xHH in a line stand for single bytes.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

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
  std::ifstream file(count == 2 ? arguments[1] : "");
  std::size_t inputs = 0;
  for (std::string line; std::getline(file, line); ++inputs) {
    const std::string bytes = unescaped(line);
    // A buffer of exactly that size, so that sanitizers see reading beyond it.
    const std::basic_string<std::uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
  }
  std::printf("%zu inputs\n", inputs);
  return inputs > 0 ? 0 : 1;
}
