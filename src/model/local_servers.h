// Model servers on this machine: who they are, which models they have, and how much context they give them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "http/client.h"

namespace helve::model {

enum class ServerKind { kOllama, kLlamaServer, kVllm, kOther };

[[nodiscard]] std::string_view to_string(ServerKind kind);  // "Ollama", …

struct LocalServer {
  std::string origin = {};  // "http://127.0.0.1:11434"
  ServerKind kind = ServerKind::kOther;
  std::vector<std::string> models = {};  // the one to prefer first
};

// Where they usually are: Ollama 11434, llama-server 8080, vLLM 8000.
[[nodiscard]] std::vector<std::uint16_t> usual_ports();

// Asks all of these ports of this machine at once, for a second at most; in the order of the ports. No key is
// sent. What another user of the machine serves is left out, with a warning: the conversation would be
// theirs.
[[nodiscard]] std::vector<LocalServer> find_local_servers(std::span<const std::uint16_t> ports,
                                                          http::Client& client, const std::stop_token& stop,
                                                          std::vector<std::string>& warnings);
// One server; nothing when it is none of models.
[[nodiscard]] std::optional<LocalServer> look_at_server(const std::string& origin, http::Client& client,
                                                        const std::stop_token& stop);

struct ContextSize {
  std::optional<std::int64_t> tokens = {};
  std::string warning = {};  // empty: it is large enough, as far as one knows
};

// What the server says about the context of one of its models.
[[nodiscard]] ContextSize context_of(const LocalServer& server, const std::string& model,
                                     http::Client& client, const std::stop_token& stop);

}  // namespace helve::model
