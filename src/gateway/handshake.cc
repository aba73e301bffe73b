#include "gateway/handshake.h"

#include <algorithm>

#include "base/strings.h"
#include "gateway/http_traffic.h"

namespace helve::gateway {
namespace {

Expected<rpc::Response> send(Channel& channel, const HandshakeOptions& options, std::string method,
                             Json params, Terms terms, bool modern) {
  terms.tells_when_given_up = false;
  terms.modern = modern;
  return channel.exchange({.id = options.next_id(), .method = std::move(method), .params = std::move(params)},
                          terms);
}

void take_server_info(const Json& result, ServerFacts& facts) {
  const Json* info = result.find("serverInfo");
  if (const Json* meta = result.find("_meta"); info == nullptr && meta != nullptr)
    info = meta->find(rpc::kMetaServerInfo);
  if (info != nullptr) {
    facts.name = text_member(*info, "name", 200);
    facts.version = text_member(*info, "version", 200);
  }
  facts.instructions = text_member(result, "instructions");
  if (const Json* capabilities = result.find("capabilities");
      capabilities != nullptr && capabilities->is_object())
    facts.capabilities = *capabilities;
}

bool lists_modern(const Json* revisions) {
  return revisions != nullptr && revisions->is_array() &&
         std::ranges::any_of(revisions->as_array(), [](const Json& revision) {
           return revision.is_string() && revision.as_string() == rpc::kModernRevision;
         });
}

// Old servers refuse a request outside of a session with a status of their own, often without a message.
bool refused_over_http(const Error& error) {
  const int status = http_status(error);
  return status >= 400 && status < 500 && status != 401 && status != 403;
}

// What came of server/discover: facts; nothing when the server is an old one; or an error that initialize
// would not mend.
Expected<std::optional<ServerFacts>> discover(Channel& channel, const HandshakeOptions& options,
                                              const Terms& terms) {
  constexpr int kAttempts = 2;  // a server may name the revision it wants, even if it is the same one
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto reply = send(channel, options, "server/discover",
                      with_modern_meta(JsonObject(), rpc::kModernRevision, options.offers), terms, true);
    if (!reply && refused_over_http(reply.error())) return std::nullopt;
    if (!reply) return fail(reply.error());
    if (!reply->failure) {
      // Some servers answer anything with an empty result.
      if (!lists_modern(reply->result.find("supportedVersions"))) return std::nullopt;
      ServerFacts facts{.revision = std::string(rpc::kModernRevision)};
      take_server_info(reply->result, facts);
      channel.begin(facts.revision);
      return facts;
    }
    const bool wants_modern = reply->failure->code == rpc::kUnsupportedRevision &&
                              lists_modern(reply->failure->data.find("supported"));
    if (!wants_modern) return std::nullopt;
  }
  return std::nullopt;
}

bool was_silent(const Error& error, const Terms& terms) {
  return error.code == ErrorCode::kTimeout && Clock::now() < terms.deadline;
}

}  // namespace

Expected<ServerFacts> initialize(Channel& channel, const HandshakeOptions& options, const Terms& terms) {
  Json params = JsonObject{{"protocolVersion", rpc::kNewestOldRevision},
                           {"capabilities", client_capabilities(options.offers)},
                           {"clientInfo", client_info()}};
  auto reply = send(channel, options, "initialize", std::move(params), terms, false);
  if (!reply) return fail(reply.error());
  if (reply->failure) return fail(server_error(options.server, *reply->failure));
  ServerFacts facts{.revision = text_member(reply->result, "protocolVersion", 100)};
  if (!rpc::is_known_revision(facts.revision))
    return fail(ErrorCode::kUnavailable,
                concat("The MCP server ", options.server, " wants to speak the protocol revision \"",
                       facts.revision, "\", which Helve does not know."),
                concat("Helve knows ", rpc::kRevisions.front(), " to ", rpc::kRevisions.back(),
                       ". Use another version of the server."));
  // A server that answers initialize is an old one, whatever it calls itself.
  if (facts.era() == rpc::Era::kModern) facts.revision = rpc::kNewestOldRevision;
  take_server_info(reply->result, facts);
  channel.begin(facts.revision);
  if (auto told = channel.notify({.method = "notifications/initialized"}); !told) return fail(told.error());
  return facts;
}

Expected<ServerFacts> shake_hands(Channel& channel, const HandshakeOptions& options, const Terms& terms) {
  if (options.era == rpc::Era::kOld) return initialize(channel, options, terms);
  Terms probe = terms;
  probe.deadline = std::min(terms.deadline, Clock::now() + options.probe_time);
  auto discovered = discover(channel, options, options.era ? terms : probe);
  if (discovered && *discovered) return **std::move(discovered);
  if (!discovered && !was_silent(discovered.error(), terms)) return fail(discovered.error());
  auto initialized = initialize(channel, options, terms);
  if (initialized || discovered) return initialized;
  // It was silent at first and now refuses: a new one that took its time.
  if (server_error_code(initialized.error()) == 0) return initialized;
  discovered = discover(channel, options, terms);
  if (discovered && *discovered) return **std::move(discovered);
  return initialized;
}

}  // namespace helve::gateway
