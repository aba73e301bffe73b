#include "http/client.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "http/curl_library.h"
#include "http/request_parser.h"
#include "http/transfer.h"

namespace helve::http {
namespace {

// Idle handles with open connections. Each concurrent request needs its own handle.
constexpr std::size_t kMostIdle = 8;
constexpr long kConnectionsPerHandle = 4;

struct Handle {
  const CurlLibrary* curl = nullptr;
  CURLM* multi = nullptr;
  std::string origin = {};  // of the last request, whose connection may still be open
};

}  // namespace

// A handle owns its connections and belongs to one thread at a time, which drives its own transfer. This
// avoids a network thread that passes every piece to the waiting thread.
struct Client::Parts {
  ClientOptions options;
  std::mutex mutex;
  std::vector<Handle> idle;  // longest idle first; guarded by the mutex

  Expected<Handle> take(const CurlLibrary& curl, const std::string& origin) {
    const std::lock_guard lock(mutex);
    auto found = std::ranges::find(idle.rbegin(), idle.rend(), origin, &Handle::origin);
    if (found != idle.rend() || idle.size() >= kMostIdle) {
      const auto chosen = found != idle.rend() ? std::prev(found.base()) : idle.begin();
      Handle handle = std::move(*chosen);
      idle.erase(chosen);
      return handle;
    }
    CURLM* const multi = curl.multi_init();
    if (multi == nullptr) return fail(ErrorCode::kUnavailable, "libcurl could not start a request");
    curl.multi_setopt(multi, CURLMOPT_MAXCONNECTS, kConnectionsPerHandle);
    return Handle{&curl, multi, origin};
  }

  void give_back(Handle handle) {
    Handle dropped;
    {
      const std::lock_guard lock(mutex);
      if (idle.size() >= kMostIdle) {
        dropped = std::move(idle.front());
        idle.erase(idle.begin());
      }
      idle.push_back(std::move(handle));
    }
    if (dropped.multi != nullptr) dropped.curl->multi_cleanup(dropped.multi);
  }
};

Client::Client(ClientOptions options) : parts_(std::make_unique<Parts>()) {
  parts_->options = std::move(options);
}

Client::~Client() {
  for (const Handle& handle : parts_->idle) handle.curl->multi_cleanup(handle.multi);
}

Expected<Response> Client::send(const ClientRequest& request, const std::stop_token& stop) {
  Response response;
  bool too_long = false;
  const Sink sink{.on_head = [&](const Response& head) { response = head; },
                  .on_body =
                      [&](std::string_view piece) {
                        too_long = piece.size() > request.body_limit - response.body.size();
                        if (!too_long) response.body += piece;
                        return !too_long;
                      }};
  if (auto streamed = stream(request, sink, stop); !streamed) return fail(std::move(streamed.error()));
  if (too_long)
    return fail(ErrorCode::kExecutionFailed,
                concat("The answer is longer than ", with_thousands(request.body_limit), " bytes"),
                "Request less data at a time.");
  return response;
}

Expected<void> Client::stream(const ClientRequest& request, const Sink& sink, const std::stop_token& stop) {
  if (stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The request was cancelled before it was sent");
  if (!is_token(request.method))
    return fail(ErrorCode::kInvalidArgument, "The method of the request is not valid",
                "Use a method such as GET or POST.");
  const auto curl = load_curl();
  if (!curl) return fail(curl.error());
  Transfer transfer(**curl, parts_->options, request, sink);
  if (auto prepared = transfer.prepare(); !prepared) return prepared;
  auto handle = parts_->take(**curl, transfer.origin());
  if (!handle) return fail(std::move(handle.error()));
  handle->origin = transfer.origin();
  struct Return {
    Parts& parts;
    Handle& handle;
    ~Return() { parts.give_back(std::move(handle)); }
  } const back{*parts_, *handle};
  return transfer.run(handle->multi, stop);
}

}  // namespace helve::http
