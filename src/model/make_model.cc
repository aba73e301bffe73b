#include "model/make_model.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "http/guard.h"
#include "model/dialect.h"
#include "model/remote_model.h"

namespace helve::model {
namespace {

constexpr std::string_view kOpenaiUrl = "https://api.openai.com/v1";
constexpr std::string_view kAnthropicUrl = "https://api.anthropic.com";
constexpr std::string_view kOpenaiKey = "OPENAI_API_KEY";
constexpr std::string_view kAnthropicKey = "ANTHROPIC_API_KEY";
// The minimum of all models that Anthropic serves.
constexpr std::int64_t kAnthropicContext = 200'000;

bool is_host_of(std::string_view host, std::string_view domain) {
  return host == domain || (host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.');
}

bool is_claude(std::string_view name) { return to_lower(name).starts_with("claude"); }

// Ollama adds :latest to names without a tag.
bool has_model(const LocalServer& server, const std::string& name) {
  return std::ranges::any_of(server.models, [&](const std::string& known) {
    return known == name || (server.kind == ServerKind::kOllama && known == name + ":latest");
  });
}

ModelProvider provider_of(const ModelSettings& settings, const Address* address) {
  if (settings.provider != ModelProvider::kAuto) return settings.provider;
  const bool is_anthropic = address == nullptr ? is_claude(settings.name)
                                               : is_host_of(address->host, "anthropic.com") ||
                                                     address->path.ends_with("/anthropic") ||
                                                     address->path.ends_with("/anthropic/v1");
  return is_anthropic ? ModelProvider::kAnthropic : ModelProvider::kOpenai;
}

// The complete URL of a request. The base URL may omit the version.
std::string request_url(const Address& address, const Dialect& dialect, ModelProvider provider) {
  std::string path = address.path;
  if (provider == ModelProvider::kAnthropic) {
    if (path.ends_with("/v1")) path.resize(path.size() - 3);
  } else if (path.empty()) {
    path = "/v1";
  }
  return concat(address.origin, path, dialect.path());
}

Error nothing_found(const ModelEnvironment& environment) {
  std::vector<std::string> ports;
  for (const std::uint16_t port : environment.ports) ports.push_back(concat(port));
  Error error{.code = ErrorCode::kNotFound,
              .message = concat("No model is set, and no model server was found on this machine (ports ",
                                enumerate(ports), ")")};
  for (const std::string_view name : {kAnthropicKey, kOpenaiKey})
    if (!environment.variables(std::string(name).c_str()).empty()) {
      error.hint = concat(name, " is set: choose a model for it with --model");
      return error;
    }
  error.hint =
      "Start Ollama, llama-server or vLLM. Or choose a model with --model or model.name in the configuration "
      "file (see helve config paths), and set OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment, or "
      "model.base_url in that file. See helve man settings.";
  return error;
}

// Builds one model; lives as long as make_model() runs.
class Maker {
 public:
  Maker(const ModelSettings& settings, const ModelEnvironment& environment, const std::stop_token& stop)
      : settings_(settings),
        environment_(environment),
        stop_(stop),
        client_({.ca_file = settings.ca_file}),
        name_(settings.name) {}

  Expected<ChosenModel> make() {
    if (!settings_.base_url.empty()) return make_at(settings_.base_url);
    const ModelProvider provider = provider_of(settings_, nullptr);
    const bool is_set = settings_.provider != ModelProvider::kAuto || provider == ModelProvider::kAnthropic;
    const bool is_anthropic = provider == ModelProvider::kAnthropic;
    if (!settings_.name.empty()) {
      if (is_set) return make_at(is_anthropic ? kAnthropicUrl : kOpenaiUrl);
      // Only a name is set: prefer a model on this machine, then OpenAI.
      if (auto local = make_local(); local || local.error().code != ErrorCode::kNotFound) return local;
      return make_at(kOpenaiUrl);
    }
    if (is_set)
      return fail(ErrorCode::kInvalidArgument,
                  concat("The provider is set to ", enum_names(provider)[static_cast<std::size_t>(provider)],
                         ", but no model is set"),
                  "Set it with --model or model.name in the configuration file (see helve config paths).");
    return make_local();
  }

 private:
  Expected<ChosenModel> make_local() {
    const auto servers = find_local_servers(environment_.ports, client_, stop_, chosen_.warnings);
    if (stop_.stop_requested()) return fail(ErrorCode::kCancelled, "The search for a model was cancelled");
    for (const LocalServer& server : servers) {
      if (!settings_.name.empty() && !has_model(server, settings_.name)) continue;
      server_ = server;
      return make_at(server.origin);
    }
    return fail(nothing_found(environment_));
  }

  Expected<ChosenModel> make_at(std::string_view base_url) {
    const auto address = read_address(base_url);
    if (!address) return fail(address.error());
    provider_ = provider_of(settings_, server_ || !settings_.base_url.empty() ? &*address : nullptr);
    if (address->is_loopback) {
      if (!server_) server_ = probe_server(address->origin, client_, stop_);
      if (auto named = take_name(*address); !named) return fail(named.error());
    }
    if (name_.empty())
      return fail(ErrorCode::kInvalidArgument, concat("No model is set for ", address->place),
                  "Set model.name to one of the server's models.");
    return finish(*address);
  }

  // Uses the first model that the server lists if no name is set.
  Expected<void> take_name(const Address& address) {
    if (!server_ || !name_.empty()) return {};
    if (server_->models.empty())
      return fail(ErrorCode::kNotFound, concat("The server at ", address.place, " has no models"),
                  "Add one, for example with ollama pull.");
    name_ = server_->models.front();
    if (server_->models.size() > 1)
      chosen_.warnings.push_back(concat("The server at ", address.place, " has ",
                                        count_of(server_->models.size(), "model"), "; using ", name_,
                                        ". Set model.name to choose another"));
    return {};
  }

  Expected<ChosenModel> finish(const Address& address) {
    RemoteOptions options;
    if (auto added = add_key(address, options); !added) return fail(added.error());
    if (auto added = add_headers(options); !added) return fail(added.error());
    const bool is_openai =
        is_host_of(address.host, "openai.com") || is_host_of(address.host, "openai.azure.com");
    auto dialect = provider_ == ModelProvider::kAnthropic ? anthropic_dialect()
                                                          : openai_dialect({.new_limit_name = is_openai});
    options.url = request_url(address, *dialect, provider_);
    options.request = {.model = name_,
                       .max_output_tokens = settings_.max_output_tokens,
                       .temperature = settings_.temperature,
                       .thinking_tokens = settings_.thinking_tokens};
    if (settings_.effort != ReasoningEffort::kAuto)
      options.request.effort = enum_names(settings_.effort)[static_cast<std::size_t>(settings_.effort)];
    options.endpoint.place = address.place;
    options.endpoint.model = name_;
    options.endpoint.keys_file = environment_.keys_file;
    options.context_window = context_window(address);
    options.silence_time = std::chrono::seconds(settings_.silence_seconds);
    options.client.ca_file = settings_.ca_file;
    if (!address.is_loopback) options.client.proxy = settings_.proxy;
    options.retries = environment_.retries;
    chosen_.place = server_ && server_->kind != ServerKind::kOther
                        ? concat(to_string(server_->kind), " at ", address.place)
                        : address.place;
    chosen_.model = remote_model(std::move(dialect), std::move(options));
    return std::move(chosen_);
  }

  Expected<void> add_key(const Address& address, RemoteOptions& options) {
    const std::string usual(provider_ == ModelProvider::kAnthropic ? kAnthropicKey : kOpenaiKey);
    const bool is_named = !settings_.key_variable.empty();
    // Never send the provider's key to a local server found by its port, or over an unencrypted connection.
    if (!is_named && (address.is_loopback || !address.is_encrypted)) return {};
    options.endpoint.key_variable = is_named ? settings_.key_variable : usual;
    auto key = find_key(options.endpoint.key_variable, environment_.variables, environment_.keys_file);
    if (!key) return fail(std::move(key.error()));
    if (key->value.empty() && (is_named || settings_.base_url.empty()))
      return fail(ErrorCode::kNotFound,
                  concat("No API key for ", address.place, ": the variable ", options.endpoint.key_variable,
                         " is not set"),
                  concat("Set it",
                         environment_.keys_file.empty()
                             ? std::string()
                             : concat(", or write ", options.endpoint.key_variable, "=… into ",
                                      environment_.keys_file, " and run chmod 600 on it"),
                         ". To use another variable, set model.key_variable."));
    options.key = std::move(key->value);
    options.endpoint.key_source = std::move(key->source);
    return {};
  }

  Expected<void> add_headers(RemoteOptions& options) const {
    for (const auto& [name, value] : settings_.headers) {
      if (!value.starts_with('$')) {
        options.headers.add(name, value);
        continue;
      }
      std::string found = environment_.variables(value.c_str() + 1);
      if (found.empty())
        return fail(
            ErrorCode::kNotFound,
            concat("The header ", name, " comes from the variable ", value.substr(1), ", which is not set"),
            "Set the variable, or correct model.headers.");
      options.headers.add(name, std::move(found));
    }
    return {};
  }

  std::optional<std::int64_t> context_window(const Address& address) {
    if (settings_.context_window > 0) return settings_.context_window;
    if (server_) {
      ContextSize size = context_of(*server_, name_, client_, stop_);
      if (!size.warning.empty()) chosen_.warnings.push_back(std::move(size.warning));
      return size.tokens;
    }
    if (is_host_of(address.host, "anthropic.com")) return kAnthropicContext;
    return std::nullopt;
  }

  const ModelSettings& settings_;
  const ModelEnvironment& environment_;
  const std::stop_token& stop_;
  http::Client client_;  // for servers on this machine, so without a proxy
  std::string name_;
  ModelProvider provider_ = ModelProvider::kAuto;
  std::optional<LocalServer> server_ = {};
  ChosenModel chosen_ = {};
};

}  // namespace

Expected<Address> read_address(std::string_view base_url) {
  const std::string_view text = trim(base_url);
  const std::size_t scheme_end = text.find("://");
  const std::string scheme = to_lower(text.substr(0, scheme_end));
  if (scheme_end == std::string_view::npos || (scheme != "http" && scheme != "https"))
    return fail(ErrorCode::kInvalidArgument, "model.base_url must be an http:// or https:// URL",
                "Write it as https://api.example/v1.");
  const std::string_view rest = text.substr(scheme_end + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  std::string_view path = rest.substr(authority.size());
  if (authority.contains('@'))
    return fail(ErrorCode::kInvalidArgument, "model.base_url must not contain a user or password",
                "Set model.key_variable to the variable that holds the key instead.");
  if (authority.empty() || path.find_first_of("?#") != std::string_view::npos)
    return fail(ErrorCode::kInvalidArgument, "model.base_url needs a host and must not contain ? or #",
                "Write it as https://api.example/v1.");
  // Accept URLs copied from request examples.
  for (const std::string_view tail : {"/", "/chat/completions", "/messages", "/"})
    while (path.ends_with(tail)) path.remove_suffix(tail.size());
  Address address{.origin = concat(scheme, "://", authority),
                  .place = std::string(authority),
                  .path = std::string(path),
                  .is_encrypted = scheme == "https"};
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  address.host = to_lower(authority.substr(0, colon));
  address.is_loopback = http::is_loopback_name(address.host);
  return address;
}

Expected<ChosenModel> make_model(const ModelSettings& settings, const ModelEnvironment& environment,
                                 const std::stop_token& stop) {
  return Maker(settings, environment, stop).make();
}

double cost_of(const Usage& usage, const ModelPrices& prices) {
  constexpr double kMillion = 1e6;
  const auto cached = static_cast<double>(std::min(usage.cached_tokens, usage.input_tokens));
  const auto fresh = static_cast<double>(usage.input_tokens) - cached;
  return (fresh * prices.input + cached * prices.cached +
          static_cast<double>(usage.output_tokens) * prices.output) /
         kMillion;
}

}  // namespace helve::model
