#include "model/local_servers.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/threads.h"
#include "base/to_number.h"

namespace helve::model {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTime{300};
constexpr milliseconds kAnswerTime{3'000};
constexpr std::size_t kLongestAnswer = std::size_t{4} << 20;
// The tool descriptions and one long result fill a smaller context.
constexpr std::int64_t kSmallContext = 16'384;

// Queries one server, with one time limit for all queries, because the user is waiting.
class Prober {
 public:
  Prober(const std::string& origin, http::Client& client, const std::stop_token& stop)
      : origin_(origin), client_(client), stop_(stop), end_(Clock::now() + kAnswerTime) {}

  // The answer as JSON; null without an answer.
  [[nodiscard]] Json query(std::string_view path, std::string body = {}) const {
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

std::optional<LocalServer> probe_ollama(const std::string& origin, const Prober& prober) {
  const Json tags = prober.query("/api/tags");
  if (array_in(tags, "models") == nullptr) return std::nullopt;
  LocalServer server{
      .origin = origin, .kind = ServerKind::kOllama, .models = names_in(tags, "models", "name")};
  // Prefer loaded models, because they answer at once.
  const auto loaded = names_in(prober.query("/api/ps"), "models", "name");
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

// Finds "num_ctx    8192" among the parameters of a model.
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

std::int64_t ollama_context(const Prober& prober, const std::string& model) {
  const Json loaded = prober.query("/api/ps");
  if (const JsonArray* const entries = array_in(loaded, "models"))
    for (const Json& entry : *entries)
      if (string_in(entry, "name") == model && count_in(entry, "context_length") > 0)
        return count_in(entry, "context_length");
  const Json shown = prober.query("/api/show", to_text(JsonObject{{"model", Json(model)}}));
  return parameter_in(string_in(shown, "parameters"), "num_ctx");
}

std::int64_t llama_context(const Prober& prober) {
  const Json props = prober.query("/props");
  const Json* const generation = object_in(props, "default_generation_settings");
  return generation != nullptr ? count_in(*generation, "n_ctx") : 0;
}

std::int64_t listed_context(const Prober& prober, const std::string& model) {
  const Json models = prober.query("/v1/models");
  if (const JsonArray* const entries = array_in(models, "data"))
    for (const Json& entry : *entries)
      if (string_in(entry, "id") == model) return count_in(entry, "max_model_len");
  return 0;
}

std::string_view context_hint(ServerKind kind) {
  switch (kind) {
    case ServerKind::kOllama: return "start Ollama with OLLAMA_CONTEXT_LENGTH=32768";
    case ServerKind::kLlamaServer: return "start llama-server with -c 32768";
    case ServerKind::kVllm: return "start vLLM with --max-model-len 32768";
    case ServerKind::kOther: break;
  }
  return "start the server with a larger context";
}

constexpr std::string_view kListening = "0A";
// The range of regular users on Debian.
constexpr uid_t kFirstRegularUser = 1000;
constexpr uid_t kLastRegularUser = 59'999;

// 127.0.0.1, any IPv4 address, and any IPv6 address, as a little-endian kernel prints them.
constexpr std::array<std::string_view, 3> kReachable = {"0100007F", "00000000",
                                                        "00000000000000000000000000000000"};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

std::optional<uid_t> listener_owner_in(std::string_view table, std::uint16_t port) {
  for (const std::string_view line : split(table, '\n')) {
    const auto words = words_of(line);
    if (words.size() < 8 || words[3] != kListening) continue;
    const std::size_t colon = words[1].find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view digits = words[1].substr(colon + 1);
    if (to_number<unsigned>(digits, 16) != port ||
        std::ranges::find(kReachable, words[1].substr(0, colon)) == kReachable.end())
      continue;
    if (const auto owner = to_number<uid_t>(words[7])) return owner;
  }
  return std::nullopt;
}

std::optional<uid_t> listener_owner(std::uint16_t port) {
  for (const char* const path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"})
    if (const auto table = read_file(path))
      if (const auto owner = listener_owner_in(*table, port)) return owner;
  return std::nullopt;
}

bool is_trusted_owner(uid_t owner) {
  return owner == ::geteuid() || owner < kFirstRegularUser || owner > kLastRegularUser;
}

std::string_view to_string(ServerKind kind) {
  constexpr std::string_view kNames[] = {"Ollama", "llama-server", "vLLM", "a model server"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::uint16_t> default_ports() { return {11434, 8080, 8000}; }

std::optional<LocalServer> probe_server(const std::string& origin, http::Client& client,
                                        const std::stop_token& stop) {
  const Prober prober(origin, client, stop);
  if (auto ollama = probe_ollama(origin, prober)) return ollama;
  const Json models = prober.query("/v1/models");
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
        warnings.push_back(concat("The server on port ", ports[i], " belongs to another user (", *owner,
                                  ") and is not used; set model.base_url to use it"));
        continue;
      }
      const auto probe = [&, i] {
        found[i] = probe_server(concat("http://127.0.0.1:", ports[i]), client, stop);
      };
      if (std::jthread thread; try_start_thread(thread, probe))
        threads.push_back(std::move(thread));
      else
        probe();
    }
  }
  std::vector<LocalServer> servers;
  for (auto& server : found)
    if (server && !server->models.empty()) servers.push_back(*std::move(server));
  return servers;
}

ContextSize context_of(const LocalServer& server, const std::string& model, http::Client& client,
                       const std::stop_token& stop) {
  const Prober prober(server.origin, client, stop);
  const std::int64_t tokens = server.kind == ServerKind::kOllama        ? ollama_context(prober, model)
                              : server.kind == ServerKind::kLlamaServer ? llama_context(prober)
                                                                        : listed_context(prober, model);
  if (tokens >= kSmallContext) return {.tokens = tokens};
  if (tokens > 0)
    return {.tokens = tokens,
            .warning = concat(to_string(server.kind), " gives ", model, " a context of only ",
                              with_thousands(static_cast<std::size_t>(tokens)),
                              " tokens, too few for most tasks; ", context_hint(server.kind))};
  if (server.kind != ServerKind::kOllama) return {};
  return {.warning = concat("Ollama does not report the context size of ", model,
                            " and silently drops what exceeds it, often beyond about 4,096 tokens; ",
                            context_hint(server.kind))};
}

}  // namespace helve::model
