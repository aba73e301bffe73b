#include "gateway/token_store.h"

#include <unistd.h>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "gateway/oauth_discovery.h"
#include "gateway/protocol.h"

namespace helve::gateway {

std::string TokenStore::path_for(const std::string& server_url) const {
  return concat(directory_, "/", sha256_hex(server_url).substr(0, 32), ".json");
}

std::optional<TokenRecord> TokenStore::find(const std::string& server_url) const {
  if (directory_.empty()) return {};
  const auto text = read_file(path_for(server_url));
  const auto json = text ? parse_json(*text) : fail(text.error());
  if (!json || text_member(*json, "server") != server_url) return {};
  TokenRecord record{.issuer = text_member(*json, "issuer"),
                     .client = {.id = text_member(*json, "clientId"),
                                .secret = text_member(*json, "clientSecret"),
                                .auth_method = text_member(*json, "authMethod"),
                                .redirect_uri = text_member(*json, "redirectUri")},
                     .access_token = text_member(*json, "accessToken"),
                     .refresh_token = text_member(*json, "refreshToken"),
                     .scopes = scope_list(text_member(*json, "scope"))};
  if (const Json* expires = json->find("expiresAt"); expires != nullptr && expires->is_number())
    static_cast<void>(expires->fits_int64(record.expires_at));
  return record;
}

Expected<void> TokenStore::keep(const std::string& server_url, const TokenRecord& record) const {
  if (directory_.empty()) return {};
  if (auto made = make_private_directories(directory_); !made) return made;
  return replace_private_file(path_for(server_url),
                              to_text(JsonObject{{"server", server_url},
                                                 {"issuer", record.issuer},
                                                 {"clientId", record.client.id},
                                                 {"clientSecret", record.client.secret},
                                                 {"authMethod", record.client.auth_method},
                                                 {"redirectUri", record.client.redirect_uri},
                                                 {"accessToken", record.access_token},
                                                 {"refreshToken", record.refresh_token},
                                                 {"expiresAt", record.expires_at},
                                                 {"scope", join(record.scopes, " ")}}));
}

void TokenStore::forget(const std::string& server_url) const {
  if (!directory_.empty()) ::unlink(path_for(server_url).c_str());
}

}  // namespace helve::gateway
