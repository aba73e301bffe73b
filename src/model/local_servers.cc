#include "model/local_servers.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <thread>
#include <utility>

#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "model/listener_owner.h"

namespace helve::model {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTime{300};
constexpr milliseconds kAnswerTime{3'000};
constexpr std::size_t kLongestAnswer = std::size_t{4} << 20;
// Less than this is used up by the tools' descriptions and one long result.
constexpr std::int64_t kSmallContext = 16'384;

// Asks one server, for seconds in all, because the machine may be busy: it is this one, and somebody waits.
class Asker {
 public:
  Asker(const std::string& origin, http::Client& client, const std::stop_token& stop)
      : origin_(origin), client_(client), stop_(stop), end_(Clock::now() + kAnswerTime) {}

  // The answer as JSON; null when there is none.
  [[nodiscard]] Json ask(std::string_view path, std::string body = {}) const {
    const auto left = std::chrono::floor<milliseconds>(end_ - Clock::now());
    if (left <= milliseconds(0)) return {};
    http::ClientRequest request{.method = body.empty() ? "GET" : "POST",
                                .url = concat(origin_, path),
                                .body = std::move(body),
                                .connect_time = kConnectTime,
                                .total_time = left,
                                .body_limit = kLongestAnswer};
    if (!request.body.empty()) request.headers.add("Content-Type", "application/json");
    const auto answer = client_.send(request, stop_);
    if (!answer || answer->status != 200) return {};
    auto json = parse_json(answer->body);
    return json ? *std::move(json) : Json();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const std::string& origin_;
  http::Client& client_;
  const std::stop_token& stop_;
  Clock::time_point end_;
};

std::vector<std::string> names_in(const Json& answer, std::string_view list, std::string_view field) {
  std::vector<std::string> names;
  if (const JsonArray* const entries = array_in(answer, list))
    for (const Json& entry : *entries)
      if (const std::string_view name = string_in(entry, field); !name.empty()) names.emplace_back(name);
  return names;
}

std::optional<LocalServer> look_at_ollama(const std::string& origin, const Asker& asker) {
  const Json tags = asker.ask("/api/tags");
  if (array_in(tags, "models") == nullptr) return std::nullopt;
  LocalServer server{
      .origin = origin, .kind = ServerKind::kOllama, .models = names_in(tags, "models", "name")};
  // A model that is loaded answers at once.
  const auto loaded = names_in(asker.ask("/api/ps"), "models", "name");
  std::ranges::stable_partition(server.models, [&](const std::string& name) {
    return std::ranges::find(loaded, name) != loaded.end();
  });
  return server;
}

ServerKind kind_of(const Json& models) {
  const JsonArray* const entries = array_in(models, "data");
  if (entries == nullptr || entries->empty()) return ServerKind::kOther;
  const std::string_view owner = string_in(entries->front(), "owned_by");
  if (owner == "llamacpp") return ServerKind::kLlamaServer;
  if (owner == "vllm") return ServerKind::kVllm;
  return ServerKind::kOther;
}

// "num_ctx    8192" among the parameters that a model was made with.
std::int64_t parameter_in(std::string_view parameters, std::string_view name) {
  for (std::string_view line : split(parameters, '\n')) {
    line = trim(line);
    if (!line.starts_with(name)) continue;
    const std::string_view digits = trim(line.substr(name.size()));
    std::int64_t number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc())
      return number;
  }
  return 0;
}

std::int64_t ollama_context(const Asker& asker, const std::string& model) {
  const Json loaded = asker.ask("/api/ps");
  if (const JsonArray* const entries = array_in(loaded, "models"))
    for (const Json& entry : *entries)
      if (string_in(entry, "name") == model && count_in(entry, "context_length") > 0)
        return count_in(entry, "context_length");
  const Json shown = asker.ask("/api/show", to_text(JsonObject{{"model", Json(model)}}));
  return parameter_in(string_in(shown, "parameters"), "num_ctx");
}

std::int64_t llama_context(const Asker& asker) {
  const Json props = asker.ask("/props");
  const Json* const generation = object_in(props, "default_generation_settings");
  return generation != nullptr ? count_in(*generation, "n_ctx") : 0;
}

std::int64_t listed_context(const Asker& asker, const std::string& model) {
  const Json models = asker.ask("/v1/models");
  if (const JsonArray* const entries = array_in(models, "data"))
    for (const Json& entry : *entries)
      if (string_in(entry, "id") == model) return count_in(entry, "max_model_len");
  return 0;
}

std::string_view how_to_enlarge(ServerKind kind) {
  switch (kind) {
    case ServerKind::kOllama: return "start Ollama with OLLAMA_CONTEXT_LENGTH=32768";
    case ServerKind::kLlamaServer: return "start llama-server with -c 32768";
    case ServerKind::kVllm: return "start vLLM with --max-model-len 32768";
    case ServerKind::kOther: break;
  }
  return "give it more when you start the server";
}

}  // namespace

std::string_view to_string(ServerKind kind) {
  constexpr std::string_view kNames[] = {"Ollama", "llama-server", "vLLM", "a model server"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::uint16_t> usual_ports() { return {11434, 8080, 8000}; }

std::optional<LocalServer> look_at_server(const std::string& origin, http::Client& client,
                                          const std::stop_token& stop) {
  const Asker asker(origin, client, stop);
  if (auto ollama = look_at_ollama(origin, asker)) return ollama;
  const Json models = asker.ask("/v1/models");
  if (array_in(models, "data") == nullptr) return std::nullopt;
  return LocalServer{.origin = origin, .kind = kind_of(models), .models = names_in(models, "data", "id")};
}

std::vector<LocalServer> find_local_servers(std::span<const std::uint16_t> ports, http::Client& client,
                                            const std::stop_token& stop, std::vector<std::string>& warnings) {
  std::vector<std::optional<LocalServer>> found(ports.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const auto owner = listener_owner(ports[i]);
      if (owner && !is_trusted_owner(*owner)) {
        warnings.push_back(concat("What listens on port ", ports[i], " belongs to another user (", *owner,
                                  ") and is not used as a model; set model.base_url if it should be"));
        continue;
      }
      threads.emplace_back(
          [&, i] { found[i] = look_at_server(concat("http://127.0.0.1:", ports[i]), client, stop); });
    }
  }
  std::vector<LocalServer> servers;
  for (auto& server : found)
    if (server && !server->models.empty()) servers.push_back(*std::move(server));
  return servers;
}

ContextSize context_of(const LocalServer& server, const std::string& model, http::Client& client,
                       const std::stop_token& stop) {
  const Asker asker(server.origin, client, stop);
  const std::int64_t tokens = server.kind == ServerKind::kOllama        ? ollama_context(asker, model)
                              : server.kind == ServerKind::kLlamaServer ? llama_context(asker)
                                                                        : listed_context(asker, model);
  if (tokens >= kSmallContext) return {.tokens = tokens};
  if (tokens > 0)
    return {.tokens = tokens,
            .warning = concat(to_string(server.kind), " gives ", model, " a context of only ",
                              with_thousands(static_cast<std::size_t>(tokens)),
                              " tokens, too few for much work; ", how_to_enlarge(server.kind))};
  if (server.kind != ServerKind::kOllama) return {};
  return {.warning = concat("Ollama does not say how large the context of ", model,
                            " will be, and cuts without a word what does not fit into 4,096 tokens or little "
                            "more; ",
                            how_to_enlarge(server.kind))};
}

}  // namespace helve::model
