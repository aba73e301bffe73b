#include "gateway/oauth_challenge.h"

#include "base/strings.h"

namespace helve::gateway {
namespace {

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// Reads `scheme name=value, name="value", scheme …`.
class ChallengeReader {
 public:
  explicit ChallengeReader(std::string_view text) : text_(text) {}

  void read(Challenge& challenge) {
    bool is_bearer = false;
    while (!text_.empty()) {
      skip(" \t,");
      const std::string word = to_lower(take_token());
      if (word.empty()) {
        if (!text_.empty()) text_.remove_prefix(1);
        continue;
      }
      const std::string_view before = text_;
      skip(" \t");
      if (!text_.starts_with('=')) {
        is_bearer = word == "bearer";
        text_ = before;
        continue;
      }
      text_.remove_prefix(1);
      skip(" \t");
      std::string value = take_value();
      if (is_bearer) challenge.parameters.emplace(word, std::move(value));
    }
  }

 private:
  void skip(std::string_view characters) {
    text_.remove_prefix(std::min(text_.find_first_not_of(characters), text_.size()));
  }
  std::string take_token() {
    std::size_t end = 0;
    while (end < text_.size() && is_token_character(text_[end])) ++end;
    std::string token(text_.substr(0, end));
    text_.remove_prefix(end);
    return token;
  }
  std::string take_value() {
    if (!text_.starts_with('"')) return take_token();
    text_.remove_prefix(1);
    std::string value;
    while (!text_.empty() && text_.front() != '"') {
      if (text_.front() == '\\' && text_.size() > 1) text_.remove_prefix(1);
      value += text_.front();
      text_.remove_prefix(1);
    }
    if (!text_.empty()) text_.remove_prefix(1);
    return value;
  }

  std::string_view text_;
};

}  // namespace

std::string Challenge::get(std::string_view name) const {
  const auto found = parameters.find(std::string(name));
  return found == parameters.end() ? std::string() : found->second;
}

Challenge read_challenge(const http::Response& response) {
  Challenge challenge;
  for (const auto& [name, value] : response.headers)
    if (to_lower(name) == "www-authenticate") ChallengeReader(value).read(challenge);
  return challenge;
}

bool wants_other_leave(const http::Response& response) {
  if (response.status == 401) return true;
  return response.status == 403 && read_challenge(response).get("error") == "insufficient_scope";
}

}  // namespace helve::gateway
