// One request of the client in progress, driven by libcurl.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "http/client.h"
#include "http/curl_library.h"
#include "http/message.h"
#include "http/socket_io.h"

namespace helve::http {

// Refers to the caller's request and sink. Used from one thread.
class Transfer {
 public:
  Transfer(const CurlLibrary& curl, const ClientOptions& options, const ClientRequest& request,
           const Sink& sink);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Validates the request. Fails with INVALID_ARGUMENT if it cannot be sent.
  [[nodiscard]] Expected<void> prepare();
  // "https://host:443": transfers to the same origin can share connections.
  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] Expected<void> run(CURLM* multi, const std::stop_token& stop);

 private:
  [[nodiscard]] Expected<void> read_url();
  [[nodiscard]] Expected<void> add_headers();
  void add_header_line(const std::string& line);
  void set_options();
  void set_method();
  void set_proxy();
  template <class Value>
  void set(CURLoption option, Value value);

  [[nodiscard]] Expected<void> drive(CURLM* multi, const std::stop_token& stop);
  [[nodiscard]] std::optional<CURLcode> result_of(CURLM* multi) const;
  [[nodiscard]] std::optional<Error> timeout_reached(Clock::time_point now);
  [[nodiscard]] int longest_wait(Clock::time_point now) const;
  [[nodiscard]] Error error_of(CURLcode code) const;

  void take_header(std::string_view line);
  [[nodiscard]] bool take_body(std::string_view piece);
  static curl_socket_t open_socket(void* transfer, curlsocktype purpose, curl_sockaddr* address);
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* transfer);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* transfer);

  const CurlLibrary& curl_;
  const ClientOptions& options_;
  const ClientRequest& request_;
  const Sink& sink_;

  CURL* easy_ = nullptr;
  CURLU* url_ = nullptr;
  curl_slist* lines_ = nullptr;
  bool options_accepted_ = true;
  std::string origin_ = {};
  std::string host_ = {};
  std::string place_ = {};  // for messages: "api.example", or the socket's path
  char error_text_[CURL_ERROR_SIZE] = {};

  Clock::time_point started_ = {};
  Clock::time_point last_piece_ = {};
  curl_off_t uploaded_ = 0;
  Response head_ = {};
  std::size_t head_bytes_ = 0;
  bool head_done_ = false;
  bool head_too_long_ = false;
  bool sink_done_ = false;
  std::exception_ptr thrown_ = {};  // by the sink; must not propagate through libcurl
};

// A libcurl failure, to be turned into an Error that tells the user what to do.
struct TransferFailure {
  CURLcode code = CURLE_OK;
  std::string_view place = {};  // host and port, never the URL
  std::string_view text = {};   // libcurl's message
  int error_number = 0;         // errno of the connection, or 0
  std::chrono::milliseconds connect_time{};
};

[[nodiscard]] Error transfer_error(const TransferFailure& failure);

// A TIMEOUT error such as "The request to host took longer than 1.5 s".
[[nodiscard]] Error timeout_error(std::string_view what, std::chrono::milliseconds time);

}  // namespace helve::http
