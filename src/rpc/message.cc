#include "rpc/message.h"

#include <algorithm>

#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::rpc {
namespace {

Json take(Json& object, std::string_view key) {
  Json* member = object.as_object().find(key);
  return member != nullptr ? std::move(*member) : Json();
}

std::unexpected<Malformed> malformed(std::string message, Json id) {
  return std::unexpected(Malformed{{.code = kInvalidRequest, .message = std::move(message)}, std::move(id)});
}

std::expected<Message, Malformed> read_response(Json& value, Json id) {
  const bool has_result = value.find("result") != nullptr;
  Json error = take(value, "error");
  if (has_result != error.is_null())
    return malformed("A response must have either a result or an error.", {});
  if (has_result) return Response{.id = std::move(id), .result = take(value, "result")};
  std::int64_t code = kInternalError;
  if (const Json* given = error.find("code"); given != nullptr && given->is_number())
    static_cast<void>(given->fits_int64(code));
  Failure failure{.code = static_cast<int>(code)};
  if (const Json* text = error.find("message"); text != nullptr && text->is_string())
    failure.message = text->as_string();
  if (error.is_object()) failure.data = take(error, "data");
  return Response{.id = std::move(id), .failure = std::move(failure)};
}

// Steps through text that looks like JSON, without checking it.
class LenientScanner {
 public:
  explicit LenientScanner(std::string_view text) : text_(text) {}

  // The next bracket, string (with its quotes), comma, colon or other run of characters; empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    const std::size_t from = at_;
    if (at_ == text_.size()) return {};
    if (text_[at_] == '"') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, text_.size());
      return text_.substr(from, at_ - from);
    }
    if (kSigns.contains(text_[at_])) return text_.substr(at_++, 1);
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '"' && !kSigns.contains(text_[at_]))
      ++at_;
    return text_.substr(from, at_ - from);
  }

 private:
  static constexpr std::string_view kSigns = "{}[],:";
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::expected<Message, Malformed> read_message(Json value) {
  if (!value.is_object())
    return malformed(concat("A message must be a JSON object, not ", value.type_name(), "."), {});
  Json id = take(value, "id");
  const bool has_id = value.find("id") != nullptr;
  if (has_id && !id.is_string() && !id.is_number() && !id.is_null())
    return malformed("\"id\" must be a string or a number.", {});
  const Json* version = value.find("jsonrpc");
  if (version == nullptr || !version->is_string() || version->as_string() != "2.0")
    return malformed("\"jsonrpc\" must be \"2.0\".", std::move(id));
  const Json* method = value.find("method");
  if (method == nullptr) {
    if (value.find("result") == nullptr && value.find("error") == nullptr)
      return malformed("A message must have a method, a result or an error.", std::move(id));
    return read_response(value, std::move(id));
  }
  if (!method->is_string()) return malformed("\"method\" must be a string.", std::move(id));
  std::string name = method->as_string();
  Json params = take(value, "params");
  if (!params.is_null() && !params.is_object() && !params.is_array())
    return malformed("\"params\" must be an object.", std::move(id));
  if (!has_id) return Notification{.method = std::move(name), .params = std::move(params)};
  if (id.is_null()) return malformed("\"id\" must not be null.", {});
  return Request{.id = std::move(id), .method = std::move(name), .params = std::move(params)};
}

Json id_in_malformed(std::string_view text) {
  LenientScanner scanner(text);
  if (scanner.next() != "{") return {};
  std::size_t depth = 1;
  std::size_t ids = 0;
  bool has_method = false;
  std::string_view value;
  for (std::string_view token = scanner.next(); !token.empty() && depth > 0;) {
    if (token == "{" || token == "[") ++depth;
    if (token == "}" || token == "]") --depth;
    const std::string_view key = depth == 1 ? token : std::string_view();
    token = scanner.next();
    if ((key != R"("id")" && key != R"("method")") || token != ":") continue;
    token = scanner.next();
    if (key == R"("method")") {
      has_method = true;
      continue;
    }
    const std::string_view after = scanner.next();
    if (after != "," && after != "}") return {};  // cut off, or not a plain value
    ++ids;
    value = token;
    token = after;
  }
  if (!has_method || ids != 1) return {};
  auto id = parse_json(value);
  return id && (id->is_string() || id->is_number()) ? *std::move(id) : Json();
}

Json to_json(Request request) {
  JsonObject object{{"jsonrpc", "2.0"}, {"id", std::move(request.id)}, {"method", std::move(request.method)}};
  Json json = std::move(object);
  if (!request.params.is_null()) json["params"] = std::move(request.params);
  return json;
}

Json to_json(Notification notification) {
  Json json = JsonObject{{"jsonrpc", "2.0"}, {"method", std::move(notification.method)}};
  if (!notification.params.is_null()) json["params"] = std::move(notification.params);
  return json;
}

Json to_json(Response response) {
  if (!response.failure)
    return JsonObject{
        {"jsonrpc", "2.0"}, {"id", std::move(response.id)}, {"result", std::move(response.result)}};
  Json json = JsonObject{{"jsonrpc", "2.0"}, {"id", std::move(response.id)}};
  Json error =
      JsonObject{{"code", response.failure->code}, {"message", std::move(response.failure->message)}};
  if (!response.failure->data.is_null()) error["data"] = std::move(response.failure->data);
  json["error"] = std::move(error);
  return json;
}

}  // namespace helve::rpc
