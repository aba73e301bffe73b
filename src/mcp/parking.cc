#include "mcp/parking.h"

#include "base/clock.h"
#include "base/strings.h"
#include "mcp/call.h"

namespace helve::mcp {
namespace {

// What must be the same when the client comes back.
std::string binding(std::string_view place, const rpc::Request& request) {
  Json params = request.params;
  if (params.is_object())
    for (const std::string_view changing : {"_meta", "inputResponses", "requestState"})
      params.as_object().erase(changing);
  return concat(place, "\n", request.method, "\n", to_text(params));
}

}  // namespace

Expected<std::string> Parking::park(const std::shared_ptr<Call>& call) {
  std::string place = random_id("wait", 32);
  std::string state = concat(place, ".", key_.tag(binding(place, call->request())));
  const std::lock_guard lock(mutex_);
  if (closed_) return fail(ErrorCode::kCancelled, "The server ends, so nobody can be asked any more.");
  std::erase_if(parked_, [](const auto& entry) { return entry.second.expired(); });
  if (parked_.size() >= most_)
    return fail(ErrorCode::kUnavailable, "Too many calls wait for an answer of their client already.",
                "Answer or cancel some of them first.");
  parked_.emplace(std::move(place), call);
  return state;
}

std::expected<std::shared_ptr<Call>, rpc::Failure> Parking::claim(const std::string& state,
                                                                  const rpc::Request& request) {
  const std::size_t dot = state.find('.');
  const std::string place = state.substr(0, dot);
  if (dot == std::string::npos ||
      !key_.is_tag(std::string_view(state).substr(dot + 1), binding(place, request)))
    return failure(rpc::kInvalidParams,
                   "requestState is not one that this server gave for this request; send it back unchanged.");
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = parked_.find(place); found != parked_.end()) {
      call = found->second.lock();
      parked_.erase(found);
    }
  }
  if (!call)
    return failure(rpc::kInvalidParams,
                   "requestState was used before, or it took too long; begin again without it.");
  return call;
}

void Parking::close() {
  decltype(parked_) parked;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    parked.swap(parked_);
  }
  for (const auto& [place, waiting] : parked)
    if (const auto call = waiting.lock()) call->cancel();
}

}  // namespace helve::mcp
