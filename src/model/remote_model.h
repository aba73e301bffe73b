// A model behind HTTP: requests, retries and replies, in whichever dialect its server speaks.
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
  std::string url = {};  // the whole of it, with the dialect's path
  std::string key = {};  // empty: none is sent
  http::Headers headers = {};
  RequestOptions request = {};
  Addressee addressee = {};
  std::optional<std::int64_t> context_window = {};
  std::chrono::milliseconds silence_time{600'000};
  http::ClientOptions client = {};
  RetryRules retries = {};
};

[[nodiscard]] std::unique_ptr<Model> remote_model(std::unique_ptr<Dialect> dialect, RemoteOptions options);

}  // namespace helve::model
