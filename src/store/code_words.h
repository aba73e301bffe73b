// Splits code into search words; identifiers are split at underscores, hyphens and case changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::store {

// The distinct words of the text in lower case, separated by spaces: parseJson gives "parse json parsejson".
// `most` limits their number.
[[nodiscard]] std::string code_words(std::string_view text, std::size_t most = 100'000);

// The words of a search query, split in the same way.
[[nodiscard]] std::vector<std::string> query_words(std::string_view query);

}  // namespace helve::store
