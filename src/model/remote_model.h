// A model behind HTTP: sends requests in the server's dialect, retries them and reads the replies.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "http/client.h"
#include "model/dialect.h"
#include "model/model.h"
#include "model/retries.h"
#include "model/server_error.h"

namespace helve::model {

struct RemoteOptions {
  std::string url = {};  // complete, with the dialect's path
  std::string key = {};  // empty: no key is sent
  http::Headers headers = {};
  RequestOptions request = {};
  Endpoint endpoint = {};
  std::optional<std::int64_t> context_window = {};
  std::chrono::milliseconds silence_time{600'000};
  http::ClientOptions client = {};
  RetryRules retries = {};
};

[[nodiscard]] std::unique_ptr<Model> remote_model(std::unique_ptr<Dialect> dialect, RemoteOptions options);

}  // namespace helve::model
