#include "model/listener_owner.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/to_number.h"

namespace helve::model {
namespace {

constexpr std::string_view kListening = "0A";
// Debian gives people numbers from here on.
constexpr uid_t kFirstPerson = 1000;
constexpr uid_t kLastPerson = 59'999;

// 127.0.0.1, any IPv4 address, any address of both kinds; as the kernel writes them on this kind of machine.
constexpr std::array<std::string_view, 3> kReachable = {"0100007F", "00000000",
                                                        "00000000000000000000000000000000"};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

std::optional<uid_t> listener_owner_in(std::string_view table, std::uint16_t port) {
  for (const std::string_view line : split(table, '\n')) {
    const auto words = words_of(line);
    if (words.size() < 8 || words[3] != kListening) continue;
    const std::size_t colon = words[1].find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view digits = words[1].substr(colon + 1);
    if (to_number<unsigned>(digits, 16) != port ||
        std::ranges::find(kReachable, words[1].substr(0, colon)) == kReachable.end())
      continue;
    if (const auto owner = to_number<uid_t>(words[7])) return owner;
  }
  return std::nullopt;
}

std::optional<uid_t> listener_owner(std::uint16_t port) {
  for (const char* const path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"})
    if (const auto table = read_file(path))
      if (const auto owner = listener_owner_in(*table, port)) return owner;
  return std::nullopt;
}

bool is_trusted_owner(uid_t owner) {
  return owner == ::geteuid() || owner < kFirstPerson || owner > kLastPerson;
}

}  // namespace helve::model
