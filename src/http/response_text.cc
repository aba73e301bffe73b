#include "http/response_text.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"
#include "helve/json.h"
#include "http/request_parser.h"

namespace helve::http {
namespace {

struct Phrase {
  int status;
  std::string_view text;
};

constexpr auto kPhrases = std::to_array<Phrase>({
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
});

constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                             "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// A cached date line, rebuilt once per second: Sun, 15 Nov 2026 13:20:17 GMT
struct DateLine {
  std::time_t second = -1;
  char text[64] = {};
  std::size_t size = 0;
};

void append_date(std::string& out) {
  thread_local DateLine line;
  const std::time_t now = std::time(nullptr);
  if (now != line.second) {
    std::tm time{};
    ::gmtime_r(&now, &time);
    const int size =
        std::snprintf(line.text, sizeof line.text, "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
                      kDays.at(static_cast<std::size_t>(time.tm_wday)), time.tm_mday,
                      kMonths.at(static_cast<std::size_t>(time.tm_mon)), time.tm_year + 1900, time.tm_hour,
                      time.tm_min, time.tm_sec);
    line.size = size > 0 ? static_cast<std::size_t>(size) : 0;
    line.second = now;
  }
  out.append(line.text, line.size);
}

bool is_reserved(std::string_view name) {
  const std::string key = to_lower(name);
  return key == "content-length" || key == "transfer-encoding" || key == "connection" ||
         key == "keep-alive" || key == "date";
}

}  // namespace

std::string_view reason_phrase(int status) {
  for (const Phrase& phrase : kPhrases)
    if (phrase.status == status) return phrase.text;
  return "Unknown";
}

int final_status(int status) { return status >= 200 && status <= 599 ? status : 500; }

bool status_has_body(int status) { return status != 204 && status != 304; }

std::string head_text(const Response& response, const HeadOptions& options) {
  std::string text;
  text.reserve(256);
  const int status = final_status(response.status);
  text += concat("HTTP/1.1 ", status, ' ', reason_phrase(status), "\r\n");
  append_date(text);
  for (const auto& [name, value] : response.headers) {
    if (is_reserved(name) || !is_token(name) || !is_field_value(value)) continue;
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (options.keep_alive && options.idle.count() > 0)
    text += concat("Keep-Alive: timeout=", options.idle.count(), "\r\n");
  switch (options.framing) {
    case Framing::kLength: text += concat("Content-Length: ", options.length, "\r\n"); break;
    case Framing::kChunked: text += "Transfer-Encoding: chunked\r\n"; break;
    case Framing::kClose:
    case Framing::kNone: break;
  }
  if (!options.keep_alive)
    text += "Connection: close\r\n";
  else if (options.http_1_0)
    text += "Connection: keep-alive\r\n";
  text += "\r\n";
  return text;
}

Response error_response(int status, std::string_view reason) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}},
          .body = to_text(JsonObject{{"error", to_valid_utf8(reason)}})};
}

Response method_not_allowed(std::string_view allowed) {
  Response response = error_response(405, concat("Allowed methods: ", allowed, "."));
  response.headers.add("Allow", std::string(allowed));
  return response;
}

}  // namespace helve::http
