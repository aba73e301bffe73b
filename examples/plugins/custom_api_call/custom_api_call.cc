// A plugin with one tool, which calls HTTP services through libcurl.
#include <curl/curl.h>
#include <helve/plugin.hpp>

#include <memory>

using namespace helve::plugin;

enum class Method { kGet, kPost, kPut, kDelete };
constexpr auto enum_names(Method) {
  return std::to_array<std::string_view>({"GET", "POST", "PUT", "DELETE"});
}

struct CustomApiCall {
  static constexpr std::string_view kDescription =
      "Call an HTTP service and return its answer.\n"
      "Data goes as JSON with POST and PUT; a text goes as it is.";
  static constexpr Effect kEffect = Effect::kNetwork;

  struct Params {
    std::string endpoint;
    Method method = Method::kGet;
    Json data;

    void describe(ParamSpec& p) {
      p.required("endpoint", endpoint, "Address of the service.",
                 {.max_length = 4000, .pattern = "^https?://"});
      p.optional("method", method, "HTTP method.");
      p.optional("data", data, "What to send.");
    }
  };

  Result execute(Context& context, const Params& params) const;
};

namespace {

constexpr std::size_t kLongestBody = 1'000'000;
constexpr long kSeconds = 60;

std::size_t take_body(char* bytes, std::size_t, std::size_t count, void* out) {
  auto& body = *static_cast<std::string*>(out);
  if (body.size() + count > kLongestBody) return 0;  // makes libcurl stop the transfer
  body.append(bytes, count);
  return count;
}

int look_for_stop(void* context, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  const auto& call = *static_cast<const Context*>(context);
  if (total > 0) call.report(static_cast<double>(done), static_cast<double>(total));
  return call.should_stop() ? 1 : 0;
}

}  // namespace

Result CustomApiCall::execute(Context& context, const Params& params) const {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> request(curl_easy_init(), &curl_easy_cleanup);
  if (ready != CURLE_OK || !request) return fail("libcurl cannot be used.", {}, "UNAVAILABLE");

  const std::string method(enum_names(params.method)[static_cast<std::size_t>(params.method)]);
  const std::string* text = params.data.get_if<std::string>();
  const std::string data = text != nullptr ? *text : to_text(params.data);
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(
      curl_slist_append(nullptr,
                        text != nullptr ? "Content-Type: text/plain" : "Content-Type: application/json"),
      &curl_slist_free_all);
  std::string body;
  char problem[CURL_ERROR_SIZE] = "";
  CURL* curl = request.get();
  curl_easy_setopt(curl, CURLOPT_URL, params.endpoint.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method.c_str());
  if (!params.data.is_null()) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, data.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(data.size()));
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  }
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);  // other calls run in other threads
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, kSeconds);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &look_for_stop);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &context);

  const CURLcode outcome = curl_easy_perform(curl);
  if (outcome == CURLE_ABORTED_BY_CALLBACK) return fail("The call was stopped.", {}, "CANCELLED");
  if (outcome == CURLE_WRITE_ERROR)
    return fail("The answer is longer than 1,000,000 bytes.", "Ask for less.");
  if (outcome != CURLE_OK)
    return fail(method + " " + params.endpoint +
                    " failed: " + (problem[0] != '\0' ? problem : curl_easy_strerror(outcome)),
                "Check the address, and whether the service runs.",
                outcome == CURLE_OPERATION_TIMEDOUT ? "TIMEOUT" : "UNAVAILABLE");
  long status = 0;
  const char* type = nullptr;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
  return Output{.summary = method + " " + params.endpoint + " answered " + std::to_string(status),
                .content = body,
                .data = JsonObject{{"status", status}, {"contentType", type != nullptr ? type : ""}}};
}

HELVE_PLUGIN("custom_api_call", "1.0.0", CustomApiCall)
