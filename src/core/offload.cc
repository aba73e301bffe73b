#include "core/offload.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/session_files.h"
#include "core/session_state.h"

namespace helve::core {
namespace {

constexpr std::size_t kHeadCharacters = 1024;
constexpr std::size_t kTailBytes = 1024;

// The last lines that fit, starting at a line's beginning where there is one.
std::string_view last_lines(std::string_view text) {
  std::string_view tail = utf8_suffix(text, kTailBytes);
  const std::size_t line_break = tail.find('\n');
  if (line_break != std::string_view::npos && line_break + 1 < tail.size())
    tail.remove_prefix(line_break + 1);
  return tail;
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < count && end < text.size(); ++i)
    end += std::max<std::size_t>(1, utf8_character_length(text.substr(end)));
  return text.substr(0, end);
}

}  // namespace

std::size_t Offload::limit_for(std::string_view tool, std::optional<std::size_t> tool_limit) const {
  if (const auto own = settings_.limits.find(std::string(tool)); own != settings_.limits.end())
    return static_cast<std::size_t>(std::max(own->second, 2048));
  return tool_limit.value_or(static_cast<std::size_t>(settings_.limit));
}

void Offload::bound(Output& output, std::string_view tool, std::size_t limit, const Session& session) {
  constexpr std::size_t kSmallerThanAStub = 3000;
  limit = std::max(limit, kSmallerThanAStub);
  if (!settings_.offload || output.content.size() <= limit) return;  // bytes are never fewer than characters
  const std::size_t characters = count_characters(output.content);
  if (characters <= limit) return;
  const std::size_t lines = static_cast<std::size_t>(std::ranges::count(output.content, '\n')) + 1;
  const auto path = keep(output.content, tool, session);
  const std::string_view head = first_characters(output.content, kHeadCharacters);
  const std::string_view tail = last_lines(std::string_view(output.content).substr(head.size()));
  std::string stub = concat("The result is long: ", with_thousands(characters), " characters in ",
                            with_thousands(lines), " lines. ");
  JsonObject offloaded{{"characters", characters}, {"lines", lines}};
  if (path) {
    stub += concat("All of it is in ", *path, "\n", kOffloadAdvice);
    offloaded.append("path", *path);
  } else {
    logger_.warning("A long result could not be kept", {{"tool", tool}, {"error", path.error().message}});
    stub += concat("It could not be kept (", path.error().message,
                   "), so the middle is lost. Ask for less at once.");
  }
  const std::size_t left_out = characters - count_characters(head) - count_characters(tail);
  stub += concat("\n\n--- first ", count_characters(head), " characters ---\n", head, "\n--- ",
                 with_thousands(left_out), " characters left out; last lines ---\n", tail);
  output.content = std::move(stub);
  output.truncated = true;
  if (output.data.is_null()) output.data = JsonObject();
  if (output.data.is_object()) output.data["offloaded"] = std::move(offloaded);
}

Expected<std::string> Offload::keep(const std::string& content, std::string_view tool,
                                    const Session& session) {
  // At the first long result, then every hour, and whenever much was added.
  const std::uint64_t much = (static_cast<std::uint64_t>(settings_.keep_megabytes) << 20) / 8;
  if (kept_since_.fetch_add(content.size()) > much) next_clean_up_ = 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::seconds(1);
  std::int64_t due = next_clean_up_;
  if (now >= due && next_clean_up_.compare_exchange_strong(due, now + 3600)) {
    kept_since_ = 0;
    remove_old_session_files(sessions_directory_, settings_, session.id(), logger_);
  }
  session.state().directory.hold();
  if (auto made = make_private_directories(session.output_directory()); !made) return fail(made.error());
  std::string path = concat(session.output_directory(), "/", random_id(tool), ".txt");
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return fail(system_error(concat("Cannot create ", path), errno));
  if (auto written = write_all(file.get(), content); !written) {
    ::unlink(path.c_str());
    return fail(written.error());
  }
  return path;
}

}  // namespace helve::core
