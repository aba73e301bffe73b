#include "tools/search_cursor.h"

#include "base/base64.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/to_number.h"

namespace helve::tools {
namespace {

std::string mark_of(std::string_view query) { return sha256_hex(query).substr(0, 12); }

}  // namespace

// A hash of the query, the line, and the path, whose bytes need not be text.
std::string make_cursor(const search::GrepPosition& position, std::string_view query) {
  return to_base64(concat(mark_of(query), " ", position.line, " ", position.path));
}

Expected<search::GrepPosition> read_cursor(std::string_view cursor, std::string_view query) {
  const auto bytes = from_base64(cursor);
  const auto broken = [&](std::string_view what) {
    return fail(
        ErrorCode::kInvalidArgument, concat("The cursor ", what, "."),
        "Take the cursor of the last answer and leave the other parameters as they were, or leave the "
        "cursor out to begin again.");
  };
  const std::size_t space = bytes ? bytes->find(' ') : std::string::npos;
  const std::size_t second = space == std::string::npos ? space : bytes->find(' ', space + 1);
  if (second == std::string::npos) return broken("is damaged");
  if (bytes->substr(0, space) != mark_of(query)) return broken("belongs to another search");
  const auto line = to_number<decltype(search::GrepPosition::line)>(
      std::string_view(*bytes).substr(space + 1, second - space - 1));
  if (!line) return broken("is damaged");
  return search::GrepPosition{.path = bytes->substr(second + 1), .line = *line};
}

}  // namespace helve::tools
