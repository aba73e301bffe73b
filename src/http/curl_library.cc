#include "http/curl_library.h"

#include <dlfcn.h>

#include <mutex>
#include <optional>

#include "base/strings.h"

namespace helve::http {
namespace {

constexpr const char* kHint = "Install libcurl: apt-get install libcurl4";

}  // namespace

Expected<CurlLibrary> load_curl_from(const char* file) {
  void* const handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const cause = ::dlerror();
    return fail(
        ErrorCode::kUnavailable,
        concat("HTTP requests need libcurl, which cannot be loaded: ", cause == nullptr ? file : cause),
        kHint);
  }
  CurlLibrary curl;
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  find(curl.global_init, "curl_global_init");
  find(curl.easy_init, "curl_easy_init");
  find(curl.easy_cleanup, "curl_easy_cleanup");
  find(curl.easy_setopt, "curl_easy_setopt");
  find(curl.easy_getinfo, "curl_easy_getinfo");
  find(curl.easy_strerror, "curl_easy_strerror");
  find(curl.slist_append, "curl_slist_append");
  find(curl.slist_free_all, "curl_slist_free_all");
  find(curl.multi_init, "curl_multi_init");
  find(curl.multi_cleanup, "curl_multi_cleanup");
  find(curl.multi_setopt, "curl_multi_setopt");
  find(curl.multi_add_handle, "curl_multi_add_handle");
  find(curl.multi_remove_handle, "curl_multi_remove_handle");
  find(curl.multi_perform, "curl_multi_perform");
  find(curl.multi_poll, "curl_multi_poll");
  find(curl.multi_wakeup, "curl_multi_wakeup");
  find(curl.multi_info_read, "curl_multi_info_read");
  find(curl.url, "curl_url");
  find(curl.url_cleanup, "curl_url_cleanup");
  find(curl.url_set, "curl_url_set");
  find(curl.url_get, "curl_url_get");
  find(curl.free, "curl_free");
  if (!missing.empty()) {
    ::dlclose(handle);
    return fail(ErrorCode::kUnavailable,
                concat("HTTP requests need a newer libcurl: ", file, " has no ", missing), kHint);
  }
  // Never unloaded: its resolver threads may outlive a request.
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return fail(ErrorCode::kUnavailable, "libcurl could not be initialized");
  return curl;
}

Expected<const CurlLibrary*> load_curl() {
  // Failures are not cached, so that the next request finds a library installed later.
  static std::mutex mutex;
  static std::optional<CurlLibrary> loaded;
  const std::lock_guard lock(mutex);
  if (!loaded) {
    auto library = load_curl_from("libcurl.so.4");
    if (!library) return fail(std::move(library.error()));
    loaded = *library;
  }
  return &*loaded;
}

}  // namespace helve::http
