#include "http/transfer_error.h"

#include <utility>

#include "base/file_io.h"
#include "base/redact.h"
#include "base/strings.h"

namespace helve::http {
namespace {

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

Error timeout_error(std::string_view what, std::chrono::milliseconds time) {
  return {.code = ErrorCode::kTimeout,
          .message = concat(what, time_text(time)),
          .hint = "Try again later, or allow it more time."};
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
      return unavailable(concat("What ", place, " answers is not HTTP"),
                         "Check the port, and whether the URL should begin with https:// instead of http://.",
                         false);
    case CURLE_COULDNT_RESOLVE_HOST:
      return unavailable(concat("There is no host named ", place, ", or its name cannot be looked up now"),
                         "Check the name in the URL and the network.", true);
    case CURLE_COULDNT_RESOLVE_PROXY:
      return unavailable(concat("The name of the proxy to ", place, " cannot be looked up"),
                         "Check https_proxy and http_proxy, or the proxy in the settings.", true);
    case CURLE_COULDNT_CONNECT:
      return unavailable(
          concat("Cannot connect to ", place, ": ", cause),
          "Check that the server is running, that host and port are right, and the proxy if there is one.",
          true);
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
                         "If it is right, name the file of the authority that issued it in the settings.",
                         false);
    case CURLE_SSL_CACERT_BADFILE:
      return unavailable(concat("The file with trusted certificates, needed for ", place, ", cannot be read"),
                         "Install ca-certificates, or correct the file's name in the settings.", false);
    case CURLE_SSL_CONNECT_ERROR:
      return unavailable(concat("No TLS connection to ", place, ": ", redact_text(failure.text)),
                         "Check whether the URL should begin with http:// instead of https://.", false);
    default:
      return unavailable(concat("The request to ", place, " failed: ", redact_text(failure.text)), "", false);
  }
}

}  // namespace helve::http
