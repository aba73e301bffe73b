#include "http/transfer.h"

#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/file_io.h"
#include "base/redact.h"
#include "base/strings.h"
#include "http/guard.h"
#include "http/request_parser.h"

namespace helve::http {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestHead = std::size_t{256} << 10;
constexpr long kBuffer = 65'536;
constexpr int kLongestPoll = 60'000;

Error unavailable(std::string message, std::string hint, bool transient) {
  return {.code = ErrorCode::kUnavailable,
          .message = std::move(message),
          .hint = std::move(hint),
          .transient = transient};
}

// "1.5 s", "250 ms"
std::string time_text(std::chrono::milliseconds time) {
  const long long count = time.count();
  if (count < 1000) return concat(count, " ms");
  if (count % 1000 == 0) return concat(count / 1000, " s");
  return concat(count / 1000, '.', count % 1000 / 100, " s");
}

}  // namespace

Transfer::Transfer(const CurlLibrary& curl, const ClientOptions& options, const ClientRequest& request,
                   const Sink& sink)
    : curl_(curl), options_(options), request_(request), sink_(sink) {}

Transfer::~Transfer() {
  if (easy_ != nullptr) curl_.easy_cleanup(easy_);
  curl_.url_cleanup(url_);
  curl_.slist_free_all(lines_);
}

template <class Value>
void Transfer::set(CURLoption option, Value value) {
  options_accepted_ = curl_.easy_setopt(easy_, option, value) == CURLE_OK && options_accepted_;
}

Expected<void> Transfer::prepare() {
  if (auto read = read_url(); !read) return read;
  easy_ = curl_.easy_init();
  if (easy_ == nullptr) return fail(ErrorCode::kUnavailable, "libcurl could not start a request");
  if (auto added = add_headers(); !added) return added;
  set_options();
  set_method();
  set_proxy();
  if (!options_accepted_)
    return fail(ErrorCode::kUnavailable,
                concat("The request to ", place_, " cannot be made with this libcurl"),
                "Update libcurl: apt-get install libcurl4");
  return {};
}

Expected<void> Transfer::read_url() {
  url_ = curl_.url();
  const auto part = [this](CURLUPart what, unsigned flags) {
    char* text = nullptr;
    if (curl_.url_get(url_, what, &text, flags) != CURLUE_OK || text == nullptr) return std::string();
    std::string copy = text;
    curl_.free(text);
    return copy;
  };
  const bool read =
      url_ != nullptr && !request_.url.contains('\0') &&
      curl_.url_set(url_, CURLUPART_URL, request_.url.c_str(), CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK;
  const std::string scheme = read ? part(CURLUPART_SCHEME, 0) : "";
  host_ = read ? part(CURLUPART_HOST, 0) : "";
  // The URL may contain a password, so errors do not quote it.
  if (!read || host_.empty())
    return fail(ErrorCode::kInvalidArgument, "The URL of the request is not valid",
                "Write it as https://host/path and percent-encode special characters.");
  if (scheme != "http" && scheme != "https")
    return fail(ErrorCode::kInvalidArgument, concat("The URL scheme ", scheme, ":// is not supported"),
                "Use http:// or https://.");
  const std::string port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  origin_ =
      concat(scheme, "://", host_, ':', port, request_.unix_socket.empty() ? "" : " ", request_.unix_socket);
  place_ = !request_.unix_socket.empty()     ? request_.unix_socket
           : part(CURLUPART_PORT, 0).empty() ? host_
                                             : concat(host_, ':', port);
  return {};
}

void Transfer::add_header_line(const std::string& line) {
  curl_slist* const longer = curl_.slist_append(lines_, line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  lines_ = longer;
}

Expected<void> Transfer::add_headers() {
  for (const auto& [name, value] : request_.headers) {
    if (!is_token(name) || !is_field_value(value))
      return fail(
          ErrorCode::kInvalidArgument,
          concat("The header ", is_token(name) ? concat(name, ' ') : "",
                 "cannot be sent: names may contain letters, digits and dashes, and values no line breaks or "
                 "control characters"),
          "Correct the header.");
    // libcurl omits headers with nothing after the colon; a semicolon sends them empty.
    add_header_line(value.find_first_not_of(" \t") == std::string::npos ? concat(name, ';')
                                                                        : concat(name, ": ", value));
  }
  if (request_.headers.count("expect") == 0) add_header_line("Expect:");
  if (request_.headers.count("content-type") == 0) add_header_line("Content-Type:");
  return {};
}

void Transfer::set_options() {
  set(CURLOPT_CURLU, url_);
  set(CURLOPT_HTTPHEADER, lines_);
  set(CURLOPT_ERRORBUFFER, static_cast<char*>(error_text_));
  set(CURLOPT_NOSIGNAL, 1L);
  // Cancelling must not wait for name resolution. Older versions of libcurl ignore this option and wait.
  static_cast<void>(curl_.easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_BUFFERSIZE, kBuffer);
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(std::max<milliseconds::rep>(request_.connect_time.count(), 1)));
  set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  if (!options_.ca_file.empty()) set(CURLOPT_CAINFO, options_.ca_file.c_str());
  if (!request_.unix_socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, request_.unix_socket.c_str());
}

void Transfer::set_method() {
  const std::string& method = request_.method;
  if (method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
    return;
  }
  const bool wants_body = method == "POST" || method == "PUT" || method == "PATCH";
  if (!request_.body.empty() || wants_body) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.data());
  }
  set(CURLOPT_CUSTOMREQUEST, method.c_str());
}

void Transfer::set_proxy() {
  // Loopback means this machine, not the proxy's.
  if (!request_.unix_socket.empty() || (options_.proxy.empty() && is_loopback_name(host_)))
    set(CURLOPT_PROXY, "");
  else if (!options_.proxy.empty())
    set(CURLOPT_PROXY, options_.proxy.c_str());
}

Expected<void> Transfer::run(CURLM* multi, const std::stop_token& stop) {
  started_ = last_piece_ = Clock::now();
  if (curl_.multi_add_handle(multi, easy_) != CURLM_OK)
    return fail(ErrorCode::kUnavailable, "libcurl could not start a request");
  auto outcome = drive(multi, stop);
  curl_.multi_remove_handle(multi, easy_);
  if (thrown_) std::rethrow_exception(thrown_);
  return outcome;
}

Expected<void> Transfer::drive(CURLM* multi, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [&] { curl_.multi_wakeup(multi); });
  for (;;) {
    int running = 0;
    if (curl_.multi_perform(multi, &running) != CURLM_OK)
      return fail(ErrorCode::kUnavailable, concat("The request to ", place_, " failed inside libcurl"));
    if (const auto code = result_of(multi)) {
      if (*code == CURLE_OK || sink_done_ || thrown_) return {};
      return fail(error_of(*code));
    }
    if (stop.stop_requested())
      return fail(ErrorCode::kCancelled, concat("The request to ", place_, " was cancelled"));
    const auto now = Clock::now();
    if (auto late = timeout_reached(now)) return fail(std::move(*late));
    if (curl_.multi_poll(multi, nullptr, 0, longest_wait(now), nullptr) != CURLM_OK)
      return fail(ErrorCode::kUnavailable, concat("The request to ", place_, " failed inside libcurl"));
  }
}

std::optional<CURLcode> Transfer::result_of(CURLM* multi) const {
  int left = 0;
  while (const CURLMsg* const message = curl_.multi_info_read(multi, &left))
    if (message->msg == CURLMSG_DONE && message->easy_handle == easy_) return message->data.result;
  return std::nullopt;
}

std::optional<Error> Transfer::timeout_reached(Clock::time_point now) {
  if (request_.total_time && std::chrono::floor<milliseconds>(now - started_) >= *request_.total_time)
    return timeout_error(concat("The request to ", place_, " took longer than "), *request_.total_time);
  if (!request_.silence_time || std::chrono::floor<milliseconds>(now - last_piece_) < *request_.silence_time)
    return std::nullopt;
  // No data arrives while a long body is uploaded.
  curl_off_t uploaded = 0;
  if (curl_.easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &uploaded) == CURLE_OK && uploaded != uploaded_) {
    uploaded_ = uploaded;
    last_piece_ = now;
    return std::nullopt;
  }
  return timeout_error(concat("Nothing came from ", place_, " for "), *request_.silence_time);
}

int Transfer::longest_wait(Clock::time_point now) const {
  milliseconds wait(kLongestPoll);
  const auto until = [&](Clock::time_point when) {
    wait = std::min(wait, std::max(std::chrono::ceil<milliseconds>(when - now), milliseconds(0)));
  };
  const auto bounded = [](milliseconds time) { return std::min<milliseconds>(time, std::chrono::years(10)); };
  if (request_.total_time) until(started_ + bounded(*request_.total_time));
  if (request_.silence_time) until(last_piece_ + bounded(*request_.silence_time));
  return static_cast<int>(wait.count());
}

Error Transfer::error_of(CURLcode code) const {
  if (head_too_long_)
    return {.code = ErrorCode::kUnavailable,
            .message = concat(place_, " answered with more than ", kLongestHead, " bytes of headers")};
  long number = 0;
  curl_.easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number);
  const char* const text = error_text_[0] != '\0' ? error_text_ : curl_.easy_strerror(code);
  return transfer_error({.code = code,
                         .place = place_,
                         .text = text,
                         .error_number = static_cast<int>(number),
                         .connect_time = request_.connect_time});
}

void Transfer::take_header(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (head_done_) return;  // a trailer
  if (line.starts_with("HTTP/")) {
    head_ = {};
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view digits = trim(line.substr(blank));
    std::from_chars(digits.data(), digits.data() + digits.size(), head_.status);
  } else if (line.empty()) {
    if (head_.status < 200) return;  // 100 Continue; the final head follows
    head_done_ = true;
    if (sink_.on_head) sink_.on_head(std::exchange(head_, {}));
  } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    head_.headers.add(std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1))));
  }
}

bool Transfer::take_body(std::string_view piece) {
  if (!sink_.on_body || sink_.on_body(piece)) return true;
  sink_done_ = true;
  return false;
}

// Commands started in the meantime must not inherit the socket.
curl_socket_t Transfer::open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

std::size_t Transfer::on_header(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  const std::size_t length = size * count;
  self.last_piece_ = Clock::now();
  self.head_bytes_ += length;
  self.head_too_long_ = self.head_bytes_ > kLongestHead;
  if (self.head_too_long_) return 0;
  try {
    self.take_header({bytes, length});
    return length;
  } catch (...) {
    self.thrown_ = std::current_exception();
    return 0;
  }
}

std::size_t Transfer::on_body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  const std::size_t length = size * count;
  self.last_piece_ = Clock::now();
  try {
    return self.take_body({bytes, length}) ? length : 0;
  } catch (...) {
    self.thrown_ = std::current_exception();
    return 0;
  }
}

Error timeout_error(std::string_view what, std::chrono::milliseconds time) {
  return {.code = ErrorCode::kTimeout,
          .message = concat(what, time_text(time)),
          .hint = "Try again later, or allow more time."};
}

Error transfer_error(const TransferFailure& failure) {
  const std::string place(failure.place);
  const std::string cause =
      failure.error_number != 0 ? errno_text(failure.error_number) : redact_text(failure.text);
  switch (failure.code) {
    case CURLE_URL_MALFORMAT:
      return {.code = ErrorCode::kInvalidArgument,
              .message = concat("The URL for ", place, " is not valid"),
              .hint = "Write it as https://host/path."};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return unavailable(concat("The answer of ", place, " is not HTTP"),
                         "Check the port, and whether the URL should start with https:// instead of http://.",
                         false);
    case CURLE_COULDNT_RESOLVE_HOST:
      return unavailable(concat("Cannot resolve the host ", place),
                         "Check the host name in the URL and the network.", true);
    case CURLE_COULDNT_RESOLVE_PROXY:
      return unavailable(concat("Cannot resolve the proxy for ", place),
                         "Check https_proxy and http_proxy, or the proxy in the settings.", true);
    case CURLE_COULDNT_CONNECT:
      return unavailable(concat("Cannot connect to ", place, ": ", cause),
                         "Check that the server is running and that host, port and proxy are correct.", true);
    case CURLE_OPERATION_TIMEDOUT: {
      Error error =
          timeout_error(concat("Connecting to ", place, " took longer than "), failure.connect_time);
      error.transient = true;
      return error;
    }
    case CURLE_GOT_NOTHING:
      return unavailable(concat(place, " closed the connection without an answer"), "Try again in a moment.",
                         true);
    case CURLE_PARTIAL_FILE:
      return unavailable(concat("The answer of ", place, " ended before it was complete"),
                         "Try again in a moment.", true);
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return unavailable(concat("The connection to ", place, " broke: ", cause), "Try again in a moment.",
                         true);
    case CURLE_PEER_FAILED_VERIFICATION:
      return unavailable(concat("The certificate of ", place, " is not trusted: ", redact_text(failure.text)),
                         "If it is correct, set the CA file that issued it in the settings.", false);
    case CURLE_SSL_CACERT_BADFILE:
      return unavailable(concat("Cannot read the CA file needed for ", place),
                         "Install ca-certificates, or correct the CA file in the settings.", false);
    case CURLE_SSL_CONNECT_ERROR:
      return unavailable(concat("The TLS connection to ", place, " failed: ", redact_text(failure.text)),
                         "Check whether the URL should start with http:// instead of https://.", false);
    default:
      return unavailable(concat("The request to ", place, " failed: ", redact_text(failure.text)), "", false);
  }
}

}  // namespace helve::http
