// Resources and prompts of other servers, under Helve's names.
#include "gateway/server_offers.h"

#include "base/json_read.h"
#include "gateway/foreign_tool.h"
#include "gateway/protocol.h"
#include "gateway/testing.h"

namespace helve::gateway {
namespace {

class ServerOffersTest : public ::testing::TestWithParam<std::string> {
 protected:
  ServerOffersTest() { gateway_.start_all(soon()); }
  static std::string names(const JsonArray& list, std::string_view member) {
    std::vector<std::string> all;
    for (const Json& entry : list) all.push_back(text_member(entry, member));
    return join(all, " ");
  }

  TestDirectory directory_;
  Registry registry_;
  Gateway gateway_{
      {.servers = {fake_server({"--era", GetParam()}, "a"), fake_server({"--era", GetParam()}, "b.c")},
       .workspace = directory_.path(),
       .state_directory = directory_.at("state"),
       .launcher = "/proc/self/exe"},
      registry_,
      LogLevel::kError};
  ServerOffers offers_{gateway_};
};

TEST_P(ServerOffersTest, ListsThemUnderNamesThatDoNotCollide) {
  const JsonArray resources = offers_.resources(soon());
  EXPECT_EQ(names(resources, "uri"), "mcp://a/fake://notes/1 mcp://b_c/fake://notes/1");
  EXPECT_EQ(text_member(resources.front(), "title"), "Notes");
  EXPECT_NE(resources.front().find("icons"), nullptr);
  EXPECT_EQ(names(offers_.templates(soon()), "uriTemplate"),
            "mcp://a/fake://notes/{n} mcp://b_c/fake://notes/{n}");
  EXPECT_EQ(names(offers_.prompts(soon()), "name"), "mcp__a__greet_all mcp__b_c__greet_all");
}

TEST_P(ServerOffersTest, ReadsAResourceFromItsServer) {
  const auto read = offers_.read("mcp://b_c/fake://notes/7", soon());
  ASSERT_TRUE(read && *read);
  EXPECT_EQ(to_text((*read)->front()),
            R"({"uri":"mcp://b_c/fake://notes/7","text":"text of fake://notes/7"})");
  EXPECT_FALSE(offers_.read("mcp://nobody/fake://notes/7", soon()));
}

TEST_P(ServerOffersTest, ReadsWhatAResultLinksTo) {
  EXPECT_FALSE(offers_.read("fake://notes/1", soon()));
  const auto link = gateway_.links().at("a");
  const auto result = link->call({.name = "parts"}, JsonObject(), soon());
  ASSERT_TRUE(result);
  link->note_links(*result);
  const auto read = offers_.read("fake://notes/1", soon());
  ASSERT_TRUE(read && *read);
  EXPECT_EQ(to_text((*read)->front()), R"({"uri":"fake://notes/1","text":"text of fake://notes/1"})");
}

TEST_P(ServerOffersTest, GetsAPromptByItsOriginalName) {
  const auto prompt = offers_.get_prompt("mcp__a__greet_all", JsonObject{{"who", "Ada"}}, soon());
  ASSERT_TRUE(prompt && *prompt);
  EXPECT_THAT(to_text(**prompt),
              ::testing::HasSubstr(R"(\"name\":\"greet.all\",\"arguments\":{\"who\":\"Ada\"})"));
  EXPECT_FALSE(offers_.get_prompt("mcp__a__other", {}, soon()));
}

TEST_P(ServerOffersTest, CompletesArguments) {
  EXPECT_EQ(offers_.complete_prompt("mcp__a__greet_all", "who", "A", soon()),
            std::vector<std::string>{R"({"type":"ref/prompt","name":"greet.all"})"});
  EXPECT_EQ(offers_.complete_template("mcp://b_c/fake://notes/{n}", "n", "1", soon()),
            std::vector<std::string>{R"({"type":"ref/resource","uri":"fake://notes/{n}"})"});
}

INSTANTIATE_TEST_SUITE_P(OfBothProtocols, ServerOffersTest, ::testing::Values("old", "modern"));

}  // namespace
}  // namespace helve::gateway
