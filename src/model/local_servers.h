// Detects model servers on this machine: their kind, models, context sizes and owners.
#pragma once

#include <sys/types.h>
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
  std::vector<std::string> models = {};  // preferred model first
};

// The default ports: Ollama 11434, llama-server 8080, vLLM 8000.
[[nodiscard]] std::vector<std::uint16_t> default_ports();

// Probes all these ports of this machine in parallel, for a few seconds at most, and returns the servers in
// port order. Sends no key. Skips servers of other users with a warning, because they would see the
// conversation.
[[nodiscard]] std::vector<LocalServer> find_local_servers(std::span<const std::uint16_t> ports,
                                                          http::Client& client, const std::stop_token& stop,
                                                          std::vector<std::string>& warnings);
// Probes one server; nothing if it is not a model server.
[[nodiscard]] std::optional<LocalServer> probe_server(const std::string& origin, http::Client& client,
                                                      const std::stop_token& stop);

struct ContextSize {
  std::optional<std::int64_t> tokens = {};
  std::string warning = {};  // empty: no known problem
};

// The context size that the server reports for one of its models.
[[nodiscard]] ContextSize context_of(const LocalServer& server, const std::string& model,
                                     http::Client& client, const std::stop_token& stop);

// The user whose process accepts IPv4 connections to 127.0.0.1 on this port; nothing if unknown.
[[nodiscard]] std::optional<uid_t> listener_owner(std::uint16_t port);
// The same from the text of /proc/net/tcp or tcp6.
[[nodiscard]] std::optional<uid_t> listener_owner_in(std::string_view table, std::uint16_t port);

// Whether the owner is this user, root, or a system account such as the one that runs Ollama.
[[nodiscard]] bool is_trusted_owner(uid_t owner);

}  // namespace helve::model
