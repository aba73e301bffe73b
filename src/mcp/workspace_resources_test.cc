#include "mcp/workspace_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/file_uri.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "helve/runtime.h"
#include "mcp/runtime_tools.h"
#include "mcp/testing.h"

namespace helve::mcp {
namespace {

using rpc::Protocol;
using testing::code_of;
using testing::RecordingResponder;
using testing::request;
using Names = std::vector<std::string>;

// 7 → "007.txt", so that names sort like numbers.
std::string numbered(int number) {
  const std::string digits = std::to_string(1000 + number);
  return concat(digits.substr(1), ".txt");
}

// A server with a real workspace, asked through the protocol's methods.
class WorkspaceResourcesTest : public ::testing::Test {
 protected:
  WorkspaceResourcesTest() {
    options_.workspace = workspace_.path();
    options_.state_directory = state_.path();
  }
  ~WorkspaceResourcesTest() override {
    if (server_) server_->disconnect(client_);
  }

  Json call(std::string method, Json params = JsonObject()) {
    if (!server_) {
      sessions_.emplace(std::shared_ptr<Runtime>(Runtime::create(options_).value()));
      tools_.emplace(*sessions_);
      resources_.emplace(*sessions_);
      server_.emplace(ServerOptions{.version = "1"},
                      Server::Offers{.tools = &*tools_, .resources = &*resources_});
      client_->set_info({.revision = "2025-11-25"});
    }
    const auto responder = std::make_shared<RecordingResponder>();
    server_->serve(client_, Protocol::kSessionBased, request(++id_, std::move(method), std::move(params)),
                   responder);
    return responder->answered();
  }
  Json read_uri(const std::string& uri) { return call("resources/read", JsonObject{{"uri", uri}}); }
  Json read(std::string_view name) { return read_uri(file_uri(workspace_.at(name))); }
  Json page(Json cursor = {}) {
    const Json answer = call("resources/list", JsonObject{{"cursor", std::move(cursor)}});
    const Json* result = answer.find("result");
    EXPECT_NE(result, nullptr) << to_text(answer);
    return result != nullptr ? *result : Json(JsonObject{{"resources", JsonArray()}});
  }
  static Names names(const Json& page) {
    Names all;
    for (const Json& resource : page.find("resources")->as_array())
      all.push_back(resource.find("name")->as_string());
    return all;
  }
  // The only content of a successful read.
  static Json content(const Json& answer) {
    const Json* result = answer.find("result");
    EXPECT_NE(result, nullptr) << to_text(answer);
    return result != nullptr ? result->find("contents")->as_array().at(0) : Json(JsonObject());
  }
  Names completed(std::string_view argument, std::string_view value) {
    const Json answer = call(
        "completion/complete",
        JsonObject{{"ref", JsonObject{{"type", "ref/resource"}, {"uri", "file:///{+path}"}}},
                   {"argument", JsonObject{{"name", std::string(argument)}, {"value", std::string(value)}}}});
    Names all;
    for (const Json& one : answer.find("result")->find("completion")->find("values")->as_array())
      all.push_back(one.as_string());
    return all;
  }

  TestDirectory workspace_;
  TestDirectory state_;
  TestDirectory outside_;
  RuntimeOptions options_;
  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  std::optional<ClientSessions> sessions_;
  std::optional<RuntimeTools> tools_;
  std::optional<WorkspaceResources> resources_;
  std::optional<Server> server_;
  int id_ = 0;
};

TEST_F(WorkspaceResourcesTest, ListsFilesWithUriSizeAndTime) {
  workspace_.write("a b.txt", "text\n");
  workspace_.write("src/main.cc", "int main() {}\n");
  workspace_.make("empty");
  const Json listed = page();
  EXPECT_EQ(names(listed), (Names{"a b.txt", "src/main.cc"}));
  EXPECT_EQ(listed.find("nextCursor"), nullptr);
  const Json& first = listed.find("resources")->as_array().front();
  EXPECT_EQ(*first.find("uri"), Json(concat("file://", workspace_.path(), "/a%20b.txt")));
  EXPECT_EQ(*first.find("size"), Json(5));
  EXPECT_THAT(first.find("annotations")->find("lastModified")->as_string(), ::testing::StartsWith("20"));
}

TEST_F(WorkspaceResourcesTest, ListsNothingInAnEmptyWorkspace) { EXPECT_EQ(names(page()), Names{}); }

TEST_F(WorkspaceResourcesTest, ListsEveryFileOnceOverSeveralPages) {
  Names expected;
  for (int i = 0; i < 620; ++i) {
    expected.push_back(concat(i % 2 == 0 ? "even/" : "odd/", numbered(i)));
    workspace_.write(expected.back(), "");
  }
  std::ranges::sort(expected);
  Names listed;
  std::vector<std::size_t> sizes;
  for (Json cursor; sizes.size() < 10;) {
    const Json one = page(cursor);
    const Names here = names(one);
    sizes.push_back(here.size());
    listed.insert(listed.end(), here.begin(), here.end());
    const Json* next = one.find("nextCursor");
    if (next == nullptr) break;
    cursor = *next;
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{250, 250, 120}));
  EXPECT_EQ(listed, expected);
}

TEST_F(WorkspaceResourcesTest, APageThatIsExactlyFullIsTheLast) {
  for (int i = 0; i < 250; ++i) workspace_.write(numbered(i), "");
  const Json listed = page();
  EXPECT_EQ(names(listed).size(), 250U);
  EXPECT_EQ(listed.find("nextCursor"), nullptr);
}

TEST_F(WorkspaceResourcesTest, TheNextPageSkipsNoFileIfEarlierOnesAreDeleted) {
  for (int i = 0; i < 260; ++i) workspace_.write(numbered(i), "");
  const Json first = page();
  for (int i = 0; i < 20; ++i) std::filesystem::remove(workspace_.at(numbered(i)));
  const Names rest = names(page(*first.find("nextCursor")));
  ASSERT_EQ(rest.size(), 10U);
  EXPECT_EQ(rest.front(), "250.txt");
}

TEST_F(WorkspaceResourcesTest, RefusesACursorThatIsNotBase64) {
  for (const Json& cursor : {Json("%"), Json(7)})
    EXPECT_EQ(code_of(call("resources/list", JsonObject{{"cursor", cursor}})), rpc::kInvalidParams);
}

TEST_F(WorkspaceResourcesTest, ReadsText) {
  workspace_.write("ü.txt", "eins\nzwei: ü\n");
  const Json read_file = content(read("ü.txt"));
  EXPECT_EQ(*read_file.find("uri"), Json(file_uri(workspace_.at("ü.txt"))));
  EXPECT_EQ(*read_file.find("mimeType"), Json("text/plain"));
  EXPECT_EQ(*read_file.find("text"), Json("eins\nzwei: ü\n"));
  EXPECT_EQ(read_file.find("blob"), nullptr);
}

TEST_F(WorkspaceResourcesTest, ReadsAnEmptyFileAsText) {
  workspace_.write("empty.txt", "");
  EXPECT_EQ(*content(read("empty.txt")).find("text"), Json(""));
}

TEST_F(WorkspaceResourcesTest, ReadsAnImageAsBase64WithItsType) {
  const std::string png = *from_base64(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==");
  workspace_.write("red.png", png);
  const Json image = content(read("red.png"));
  EXPECT_EQ(*image.find("mimeType"), Json("image/png"));
  EXPECT_EQ(*image.find("blob"), Json(to_base64(png)));
  EXPECT_EQ(image.find("text"), nullptr);
}

TEST_F(WorkspaceResourcesTest, ReadsOtherBinaryFilesAsBase64) {
  for (const std::string_view bytes :
       {std::string_view("text\0text", 9), std::string_view("\xff\xfe\x01", 3)}) {
    workspace_.write("data.bin", bytes);
    const Json binary = content(read("data.bin"));
    EXPECT_EQ(*binary.find("mimeType"), Json("application/octet-stream"));
    EXPECT_EQ(*binary.find("blob"), Json(to_base64(bytes)));
    EXPECT_EQ(binary.find("text"), nullptr);
  }
}

TEST_F(WorkspaceResourcesTest, AMissingFileIsNotFound) {
  workspace_.make("directory");
  for (const std::string_view name : {"missing.txt", "directory/missing.txt"}) {
    const Json answer = read(name);
    EXPECT_EQ(code_of(answer), rpc::kResourceNotFound) << to_text(answer);
    EXPECT_EQ(*answer.find("error")->find("data")->find("uri"), Json(file_uri(workspace_.at(name))));
  }
}

TEST_F(WorkspaceResourcesTest, OtherUrisAreNotFound) {
  for (const std::string_view uri :
       {"https://example.com/a.txt", "a.txt", "", "helve-output:///missing.txt", "helve-output:///../a.txt",
        "helve-output:///.hidden", "helve-output:///"})
    EXPECT_EQ(code_of(read_uri(std::string(uri))), rpc::kResourceNotFound) << uri;
}

TEST_F(WorkspaceResourcesTest, RefusesPathsOutsideTheWorkspace) {
  outside_.write("secret.txt", "secret-text");
  workspace_.link(outside_.at("secret.txt"), "link.txt");
  for (const std::string& uri :
       {file_uri(outside_.at("secret.txt")), file_uri(workspace_.at("link.txt")),
        concat("file://", workspace_.path(), "/../",
               std::filesystem::path(outside_.path()).filename().string(), "/secret.txt")}) {
    const Json answer = read_uri(uri);
    EXPECT_NE(code_of(answer), 0) << uri;
    EXPECT_THAT(to_text(answer), ::testing::Not(::testing::HasSubstr("secret-text"))) << uri;
  }
}

TEST_F(WorkspaceResourcesTest, RefusesADirectory) {
  workspace_.make("directory");
  EXPECT_NE(code_of(read("directory")), 0);
}

TEST_F(WorkspaceResourcesTest, HiddenAndIgnoredFilesAreNotListedButCanBeRead) {
  workspace_.write(".hidden/a.txt", "hidden\n");
  workspace_.write(".dotfile", "dot\n");
  workspace_.write(".ignore", "*.log\n");
  workspace_.write("build.log", "log\n");
  workspace_.write("shown.txt", "shown\n");
  EXPECT_EQ(names(page()), Names{"shown.txt"});
  EXPECT_EQ(*content(read(".dotfile")).find("text"), Json("dot\n"));
  EXPECT_EQ(*content(read(".hidden/a.txt")).find("text"), Json("hidden\n"));
  EXPECT_EQ(*content(read("build.log")).find("text"), Json("log\n"));
}

TEST_F(WorkspaceResourcesTest, ADenyRuleHidesFilesFromListingReadingAndCompletion) {
  options_.settings.permissions.deny = {"read(./secrets/**)"};
  workspace_.write("secrets/key.txt", "secret-text");
  workspace_.write("shown.txt", "shown\n");
  workspace_.link("secrets/key.txt", "link.txt");
  EXPECT_THAT(names(page()), ::testing::Not(::testing::Contains("secrets/key.txt")));
  EXPECT_THAT(names(page()), ::testing::Contains("shown.txt"));
  for (const std::string_view name : {"secrets/key.txt", "link.txt"}) {
    const Json answer = read(name);
    EXPECT_NE(code_of(answer), 0) << name;
    EXPECT_THAT(to_text(answer), ::testing::Not(::testing::HasSubstr("secret-text"))) << name;
  }
  EXPECT_EQ(code_of(read("secrets/missing.txt")), code_of(read("secrets/key.txt")))
      << "a denied path must not reveal whether the file exists";
  EXPECT_EQ(completed("path", "secrets/"), Names{});
}

TEST_F(WorkspaceResourcesTest, ListsAndReadsSavedResults) {
  options_.settings.mode = Mode::kFull;
  std::string long_text;
  for (int i = 0; i < 20'000; ++i) long_text += concat("line ", i, "\n");
  workspace_.write("long.txt", long_text);
  const Json called = call(
      "tools/call",
      JsonObject{{"name", "grep"}, {"arguments", JsonObject{{"pattern", "line"}, {"maxResults", 10'000}}}});
  const Json* result = called.find("result");
  ASSERT_NE(result, nullptr) << to_text(called);
  std::string uri;
  for (const Json& part : result->find("content")->as_array())
    if (*part.find("type") == Json("resource_link")) uri = part.find("uri")->as_string();
  ASSERT_THAT(uri, ::testing::StartsWith("helve-output:///")) << to_text(called).substr(0, 500);
  const std::string name = uri.substr(std::string_view("helve-output:///").size());
  EXPECT_EQ(names(page()), (Names{name, "long.txt"}));
  EXPECT_THAT(content(read_uri(uri)).find("text")->as_string(), ::testing::HasSubstr("line 1"));
  EXPECT_EQ(completed("name", ""), Names{name});
  EXPECT_EQ(completed("name", "no-such-result"), Names{});
}

TEST_F(WorkspaceResourcesTest, CompletesPaths) {
  workspace_.write("src/main.cc", "");
  workspace_.write("src/main.h", "");
  workspace_.write("src/test/a.cc", "");
  workspace_.write("readme.md", "");
  EXPECT_EQ(completed("path", "s"), Names{"src/"});
  EXPECT_THAT(completed("path", "src/ma"), ::testing::UnorderedElementsAre("src/main.cc", "src/main.h"));
  EXPECT_EQ(completed("path", "src/t"), Names{"src/test/"});
  EXPECT_EQ(completed("path", "nowhere/"), Names{});
}

TEST_F(WorkspaceResourcesTest, ReportsChangesOfSubscribedFilesOnly) {
  workspace_.write("a.txt", "1");
  std::mutex mutex;
  std::condition_variable changed;
  Names updated;
  client_->set_outlet([&](const Json& message) {
    const std::lock_guard lock(mutex);
    updated.push_back(message.find("params")->find("uri")->as_string());
    changed.notify_all();
  });
  const std::string uri = file_uri(workspace_.at("a.txt"));
  EXPECT_EQ(code_of(call("resources/subscribe", JsonObject{{"uri", uri}})), 0);
  for (const std::string& other : {file_uri(outside_.at("a.txt")), file_uri(workspace_.at("no/such/a.txt")),
                                   std::string("https://a.example")})
    EXPECT_EQ(code_of(call("resources/subscribe", JsonObject{{"uri", other}})), rpc::kInvalidParams) << other;
  workspace_.write("b.txt", "other");
  workspace_.write("a.txt", "2");
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return !updated.empty(); }));
    EXPECT_THAT(updated, ::testing::Each(uri));
  }
  EXPECT_EQ(code_of(call("resources/unsubscribe", JsonObject{{"uri", uri}})), 0);
}

TEST_F(WorkspaceResourcesTest, DescribesItsTemplates) {
  const Json answer = call("resources/templates/list");
  const JsonArray& templates = answer.find("result")->find("resourceTemplates")->as_array();
  ASSERT_EQ(templates.size(), 2U);
  EXPECT_EQ(*templates[0].find("uriTemplate"), Json(concat("file://", workspace_.path(), "/{+path}")));
  EXPECT_EQ(*templates[1].find("uriTemplate"), Json("helve-output:///{name}"));
}

}  // namespace
}  // namespace helve::mcp
