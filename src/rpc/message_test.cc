#include "rpc/message.h"

#include <gtest/gtest.h>

#include "base/json_parse.h"

namespace helve::rpc {
namespace {

std::expected<Message, Malformed> read(std::string_view text) { return read_message(*parse_json(text)); }

std::string complaint(std::string_view text) {
  const auto message = read(text);
  return message ? "none" : message.error().failure.message;
}

TEST(RpcMessage, DistinguishesRequestsNotificationsAndResponses) {
  EXPECT_TRUE(std::holds_alternative<Request>(*read(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")));
  EXPECT_TRUE(std::holds_alternative<Notification>(*read(R"({"jsonrpc":"2.0","method":"ping"})")));
  EXPECT_TRUE(std::holds_alternative<Response>(*read(R"({"jsonrpc":"2.0","id":"a","result":{}})")));
  const auto failed = read(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":7}})");
  const auto& failure = std::get<Response>(*failed).failure;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, kMethodNotFound);
  EXPECT_EQ(failure->data, Json(7));
}

TEST(RpcMessage, ReportsTheErrorAndTheId) {
  EXPECT_EQ(complaint("[1]"), "A message must be a JSON object, not array.");
  EXPECT_EQ(complaint(R"({"id":1,"method":"a"})"), "\"jsonrpc\" must be \"2.0\".");
  EXPECT_EQ(complaint(R"({"jsonrpc":"2.0","id":{},"method":"a"})"), "\"id\" must be a string or a number.");
  EXPECT_EQ(complaint(R"({"jsonrpc":"2.0","id":null,"method":"a"})"), "\"id\" must not be null.");
  EXPECT_EQ(complaint(R"({"jsonrpc":"2.0","id":1,"method":2})"), "\"method\" must be a string.");
  EXPECT_EQ(complaint(R"({"jsonrpc":"2.0","id":1,"method":"a","params":3})"),
            "\"params\" must be an object.");
  EXPECT_EQ(complaint(R"({"jsonrpc":"2.0","id":1})"), "A message must have a method, a result or an error.");
  EXPECT_EQ(read(R"({"jsonrpc":"1.0","id":"x","method":"a"})").error().id, Json("x"));
}

TEST(RpcMessage, WritesMessagesAsItReadsThem) {
  for (const std::string_view text :
       {R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"b":1}})", R"({"jsonrpc":"2.0","method":"a"})",
        R"({"jsonrpc":"2.0","id":"x","result":null})",
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[]}})"}) {
    auto message = read(text);
    ASSERT_TRUE(message) << text;
    EXPECT_EQ(to_text(std::visit([](auto& value) { return to_json(std::move(value)); }, *message)), text);
  }
}

TEST(RpcMessage, ARequestThatIsNotJsonDoesNotLoseItsId) {
  for (const std::string_view text :
       {R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"\ud800"}})",
        R"({"params":{"id":1,"a":["\ud800",{"method":"x"}]},"method":"m","id" : 7 })",
        R"({"id":7,"method":"m","params":{"a":1,"a":2}})", R"({"id":7,"method":"m","params":{"a":01}})",
        R"({"id":7,"method":"m","params":{"a":"\"},{"})", R"({"id":7,"method":"m","params":)",
        R"({"id":7,"method":"\ud800"})"})
    EXPECT_EQ(id_in_malformed(text), Json(7)) << text;
  EXPECT_EQ(id_in_malformed(R"({"id":"a\"b","method":"\ud800"})"), Json("a\"b"));
}

TEST(RpcMessage, AnErrorIsNotAddressedToAnIdThatIsNoRequests) {
  for (const std::string_view text :
       {R"({"jsonrpc":"2.0","id":7,"result":{"a":"\ud800"}})", R"([{"id":7,"method":"m"},x])", "", "{", "\"",
        R"({"method":"m","id":7)", R"({"method":"m","id":7,"id":8,"a":x})",
        R"({"method":"m","id":{"a":7},x})", R"({"method":"m","id":"\ud800"})",
        R"({"method":"m","id":null,x})", R"({"method":"m","id":)", R"({"params":{"id":7,"method":"m"},x})",
        R"({"a":"\)"})
    EXPECT_EQ(id_in_malformed(text), Json()) << text;
}

}  // namespace
}  // namespace helve::rpc
