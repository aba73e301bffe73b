#include "model/server_error.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/ascii.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/redact.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "model/retries.h"

namespace helve::model {
namespace {

constexpr std::size_t kLongestQuote = 600;

// An error report, normalized from the servers' many formats.
struct Report {
  int status = 0;
  std::string type = {};  // type and code in lower case, separated by a space
  std::string message = {};
  std::int64_t prompt_tokens = 0;
  std::int64_t context_tokens = 0;
};

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

// The first number after the marker: "maximum context length is 4096 tokens" → 4096.
std::int64_t number_after(std::string_view text, std::string_view marker) {
  const std::size_t found = text.find(marker);
  if (found == std::string_view::npos) return 0;
  std::int64_t number = 0;
  bool begun = false;
  for (const char c : text.substr(found + marker.size()).substr(0, 40)) {
    if (is_digit(c)) {
      begun = true;
      number = std::min<std::int64_t>(number * 10 + (c - '0'), 1'000'000'000'000);
    } else if (begun && c != ',') {
      break;
    }
  }
  return number;
}

// The equivalent status of an error inside a stream, whose real status is 200.
int status_of_type(std::string_view type) {
  if (has_any(type, {"overloaded"})) return 529;
  if (has_any(type, {"rate_limit"})) return 429;
  if (has_any(type, {"authentication", "invalid_api_key"})) return 401;
  if (has_any(type, {"permission"})) return 403;
  if (has_any(type, {"not_found"})) return 404;
  if (has_any(type, {"timeout"})) return 504;
  if (has_any(type, {"invalid_request", "exceed_context", "context_length"})) return 400;
  return 500;
}

void read_numbers(const Json& error, Report& report) {
  report.prompt_tokens = count_in(error, "n_prompt_tokens");
  report.context_tokens = count_in(error, "n_ctx");
  const std::string text = to_lower(report.message);
  if (report.context_tokens == 0) report.context_tokens = number_after(text, "maximum context length is");
  for (const std::string_view marker : {"resulted in", "you requested", "your request has", "too long:"})
    if (report.prompt_tokens == 0) report.prompt_tokens = number_after(text, marker);
  if (report.context_tokens == 0 && has_any(text, {"too long:", "context limit"}))
    report.context_tokens = number_after(text, ">");
}

Report read_report(int status, const Json& body) {
  const Json* error = &body;
  // Some proxies wrap the error in a list.
  if (body.is_array() && !body.as_array().empty()) error = &body.as_array().front();
  if (const Json* const inner = error->find("error")) error = inner;
  Report report;
  report.status = status;
  if (error->is_string()) {
    report.message = error->as_string();
  } else {
    for (const std::string_view name : {"message", "detail", "error_msg"})
      if (report.message.empty()) report.message = string_in(*error, name);
    const Json* const detail = error->find("detail");
    if (report.message.empty() && detail != nullptr) report.message = to_text(*detail);
    report.type = to_lower(concat(string_in(*error, "type"), ' ', string_in(*error, "code")));
    if (const auto code = count_in(*error, "code"); status < 300 && code >= 400 && code < 600)
      report.status = static_cast<int>(code);
  }
  if (report.status < 300) report.status = status_of_type(report.type);
  read_numbers(*error, report);
  return report;
}

bool is_about_context(const Report& report) {
  if (has_any(report.type, {"exceed_context_size", "context_length_exceeded", "request_too_large"}))
    return true;
  if (report.status != 400 && report.status != 413 && report.status != 422) return false;
  return report.status == 413 ||
         has_any(to_lower(report.message),
                 {"maximum context length", "context window", "prompt is too long", "exceed context limit",
                  "context size", "context length", "too many tokens"});
}

std::string quoted(const std::string& message) {
  return message.empty() ? "" : concat(": ", shortened(trim(message), kLongestQuote));
}

std::string key_hint(const Endpoint& to) {
  const std::string& name = to.key_variable;
  if (name.empty()) return "Set model.key_variable to the name of the variable with the key for this server.";
  std::string hint = concat("Set the variable ", name, " to a valid key");
  if (!to.keys_file.empty())
    hint += concat(", or write ", name, "=… into ", to.keys_file, " and run chmod 600 on it");
  return hint + ". To use another variable, set model.key_variable.";
}

Error context_error(const Report& report) {
  Error error{.code = ErrorCode::kInvalidArgument,
              .message = "The conversation no longer fits into the model's context",
              .hint =
                  "Start a new conversation or shorten this one. A local server can be started with a larger "
                  "context."};
  if (report.prompt_tokens > 0 && report.context_tokens > 0)
    error.message +=
        concat(": it has ", with_thousands(static_cast<std::size_t>(report.prompt_tokens)),
               " tokens, and the limit is ", with_thousands(static_cast<std::size_t>(report.context_tokens)));
  else
    error.message += quoted(report.message);
  return error;
}

// The usual cause of a rejected request.
std::string request_hint(const std::string& message) {
  if (message.contains("enable-auto-tool-choice"))
    return "Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model.";
  if (message.contains("does not support tools")) return "Choose a model that can call tools.";
  if (has_any(message, {"max_tokens", "max_completion_tokens"})) return "Correct model.max_output_tokens.";
  if (message.contains("temperature")) return "Correct or remove model.temperature.";
  if (has_any(message, {"reasoning", "thinking", "effort"}))
    return "Correct or remove model.effort and model.thinking_tokens.";
  return "Check the model settings with helve config show.";
}

Error request_error(const Report& report, const Endpoint& to) {
  return {.code = ErrorCode::kInvalidArgument,
          .message =
              concat(to.place, " rejected the request (status ", report.status, ")", quoted(report.message)),
          .hint = request_hint(report.message)};
}

Error not_found_error(const Report& report, const Endpoint& to) {
  if (report.message.empty() || !has_any(to_lower(report.message), {"model", to_lower(to.model)}))
    return {
        .code = ErrorCode::kNotFound,
        .message = concat(to.place, " has no model API at this address (status 404)", quoted(report.message)),
        .hint = "Correct model.base_url; for most servers it ends in /v1."};
  return {.code = ErrorCode::kNotFound,
          .message = concat(to.place, " has no model named ", to.model, quoted(report.message)),
          .hint = "Set model.name to one of the server's models, or check that the key has access to it."};
}

Error key_error(const Report& report, const Endpoint& to) {
  Error error{.code = ErrorCode::kPermissionDenied, .message = {}, .hint = key_hint(to)};
  if (to.key_source.empty())
    error.message = concat(to.place, " requires an API key, but none is set");
  else
    error.message = concat(to.place, " does not accept the key from ", to.key_source);
  error.message += quoted(report.message);
  return error;
}

std::string wait_text(const http::Headers& headers) {
  const auto pause = retry_after(headers, std::chrono::system_clock::now());
  if (!pause) return "";
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(*pause).count();
  return concat("; it asks to wait ", count_of(static_cast<std::size_t>(seconds), "second"));
}

struct Classified {
  ErrorKind kind;
  Error error;
};

Classified classify(const Report& report, const http::Headers& headers, const Endpoint& to) {
  const auto unavailable = [&](std::string_view what, std::string_view hint) {
    return Error{.code = ErrorCode::kUnavailable,
                 .message = concat(to.place, what, quoted(report.message)),
                 .hint = std::string(hint)};
  };
  if (is_about_context(report)) return {ErrorKind::kModelContextFull, context_error(report)};
  if (report.status == 402 || has_any(report.type, {"insufficient_quota", "billing"}) ||
      report.message.contains("credit balance"))
    return {ErrorKind::kModelQuota, unavailable(" reports that the account has no credit left",
                                                "Add credit to the account, or use another key or model.")};
  if (report.status == 401) return {ErrorKind::kModelKey, key_error(report, to)};
  if (report.status == 403)
    return {ErrorKind::kModelKey,
            {.code = ErrorCode::kPermissionDenied,
             .message = concat(to.place, " refuses access to ", to.model, quoted(report.message)),
             .hint = key_hint(to)}};
  if (report.status == 404) return {ErrorKind::kModelUnknown, not_found_error(report, to)};
  if (report.status == 407)
    return {ErrorKind::kModelServer, unavailable(": the proxy requires a password",
                                                 "Set model.proxy to http://user:password@host:port.")};
  if (report.status == 429)
    return {ErrorKind::kModelRateLimit, unavailable(concat(" is limiting requests", wait_text(headers)),
                                                    "Wait, or use another key or model.")};
  if (report.status == 529 || has_any(report.type, {"overloaded"}))
    return {ErrorKind::kModelOverloaded, unavailable(" is overloaded", "Try again in a moment.")};
  if (report.status == 503 && report.message.contains("Loading model"))
    return {ErrorKind::kModelOverloaded,
            unavailable(" is still loading the model", "Try again in a moment.")};
  if (report.status >= 500 || report.status == 408 || report.status == 409)
    return {ErrorKind::kModelServer,
            unavailable(concat(" failed (status ", report.status, ")"), "Try again in a moment.")};
  if (report.status < 400)
    return {ErrorKind::kModelServer,
            unavailable(concat(" redirects to another address (status ", report.status, ")"),
                        "Correct model.base_url.")};
  return {ErrorKind::kModelRequest, request_error(report, to)};
}

Error error_of(int status, const http::Headers& headers, const Json& body, const Endpoint& endpoint) {
  const Report report = read_report(status, body);
  auto [kind, error] = classify(report, headers, endpoint);
  error.kind = kind;
  error.details = JsonObject{{"status", Json(report.status)}};
  if (report.prompt_tokens > 0) error.details["promptTokens"] = report.prompt_tokens;
  if (report.context_tokens > 0) error.details["contextTokens"] = report.context_tokens;
  // A mock server without a matching fixture will not have one later, either.
  const bool permanent = kind == ErrorKind::kModelQuota || kind == ErrorKind::kModelContextFull ||
                         report.type.contains("no_fixture_match") ||
                         report.message.contains("no fixture matched");
  error.transient = is_transient_status(report.status) && !permanent;
  return without_secrets(std::move(error), endpoint);
}

}  // namespace

Error answer_error(int status, const http::Headers& headers, std::string_view body,
                   const Endpoint& endpoint) {
  if (const auto parsed = parse_json(body)) return error_of(status, headers, *parsed, endpoint);
  // The text of a web page does not help.
  const std::string_view text = trim(body);
  if (text.empty() || text.starts_with('<')) return error_of(status, headers, Json(), endpoint);
  return error_of(status, headers, JsonObject{{"error", Json(to_valid_utf8(text))}}, endpoint);
}

Error reported_error(const Json& report, const Endpoint& endpoint) {
  return error_of(200, {}, report, endpoint);
}

Error cut_error(std::string_view what, const Endpoint& endpoint) {
  return {.code = ErrorCode::kUnavailable,
          .message = concat("The reply of ", endpoint.place, " was cut off: ", what),
          .hint = "None of its calls ran. Try again.",
          .transient = true,
          .kind = ErrorKind::kModelReplyCut};
}

Error malformed_error(std::string_view what, std::string_view sample, const Endpoint& endpoint) {
  Error error{.code = ErrorCode::kExecutionFailed,
              .message = concat("The reply of ", endpoint.place, " cannot be read: ", what),
              .hint = "Check that model.base_url and model.provider fit the server.",
              .kind = ErrorKind::kModelReplyMalformed};
  if (!sample.empty()) error.message += concat("; it begins with ", shortened(to_valid_utf8(sample), 200));
  return without_secrets(std::move(error), endpoint);
}

std::string without_secrets(std::string_view text, const Endpoint& endpoint) {
  std::string clean(text);
  for (const std::string& secret : endpoint.secrets)
    if (!secret.empty()) clean = replace_all(clean, secret, "[redacted]");
  return redact_text(clean);
}

Error without_secrets(Error error, const Endpoint& endpoint) {
  error.message = without_secrets(error.message, endpoint);
  error.hint = without_secrets(error.hint, endpoint);
  return error;
}

}  // namespace helve::model
