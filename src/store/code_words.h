// The words by which code is found: names taken apart where people who write code join words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::store {

// Every different word of the text once, in lower case, with a space between: parseJson gives "parse", "json"
// and "parsejson". `most` bounds the work that one text can cause.
[[nodiscard]] std::string code_words(std::string_view text, std::size_t most = 100'000);

// The words that somebody looks for; names in a query are taken apart, too.
[[nodiscard]] std::vector<std::string> query_words(std::string_view query);

}  // namespace helve::store
