// Feeds arbitrary bytes to the readers of JSON and of JSON-RPC: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "base/json_parse.h"
#include "rpc/message.h"

using namespace helve;

// A message can be written and read again, and stays the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  auto value = parse_json(text, {.max_depth = 20});
  if (!value) return 0;
  const std::string written = to_text(*value);
  const auto again = parse_json(written, {.max_depth = 20});
  if (!again || *again != *value) __builtin_trap();
  auto message = rpc::read_message(*std::move(value));
  if (!message) return 0;
  const Json sent = std::visit([](auto& one) { return to_json(one); }, *message);
  auto received = rpc::read_message(sent);
  if (!received || received->index() != message->index()) __builtin_trap();
  if (std::visit([](auto& one) { return to_json(one); }, *received) != sent) __builtin_trap();
  return 0;
}
