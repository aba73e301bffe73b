#include "skills/project_instructions.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/strings.h"
#include "base/utf8.h"
#include "text/text_encoding.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"

namespace helve::skills {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({"AGENTS.md", "CLAUDE.md"});
// Limits how much of a file is read, even if less of it is shown.
constexpr std::size_t kMostRead = std::size_t{1} << 20;

std::string absolute(std::span<const std::string> components) {
  return components.empty() ? "/" : concat("/", workspace::join_path(components));
}

bool holds_repository(const std::string& directory) {
  struct stat git{};
  return ::lstat(concat(directory == "/" ? "" : directory, "/.git").c_str(), &git) == 0;
}

bool belongs_to_user(const std::string& directory) {
  struct stat status{};
  return ::stat(directory.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

// Finds the root of the repository: the nearest directory, itself included, with a `.git`. Returns the number
// of path components up to it; none when there is no repository.
std::optional<std::size_t> repository_depth(std::span<const std::string> components,
                                            std::size_t workspace_depth) {
  for (std::size_t depth = components.size();; --depth) {
    const std::string directory = absolute(components.first(depth));
    if (holds_repository(directory)) {
      // Another user could create a repository above the workspace, for instance in /tmp.
      if (depth < workspace_depth && !belongs_to_user(directory)) return std::nullopt;
      return depth;
    }
    if (depth == 0) return std::nullopt;
  }
}

// The text of a file as UTF-8; empty when it is not text.
std::string decoded(std::string_view bytes) {
  const text::TextEncoding encoding = text::detect_encoding(bytes);
  if (!encoding.is_text()) return {};
  return text::decode(text::without_bom(bytes, encoding), encoding);
}

class Collector {
 public:
  Collector(const workspace::Root& workspace, const workspace::Root& start)
      : workspace_(workspace), start_(start) {}

  void look_in(const std::string& directory) {
    for (const std::string_view name : kNames) {
      const std::string path = directory == "." ? std::string(name) : concat(directory, "/", name);
      const auto status = start_.stat(path);
      if (!status && status.error().code == ErrorCode::kNotFound) continue;
      return add(path);
    }
  }

  // Truncates the outermost parts first, until everything fits.
  ProjectInstructions take(std::size_t max_bytes) {
    std::size_t left = max_bytes;
    for (auto part = found_.parts.rbegin(); part != found_.parts.rend(); ++part) {
      const std::string_view kept = utf8_prefix(part->text, left);
      part->left_out += part->text.size() - kept.size();
      part->text.resize(kept.size());
      left -= part->text.size();
      if (part->left_out > 0)
        found_.warnings.push_back(concat(part->path, " is truncated: ", with_thousands(part->left_out),
                                         " bytes exceed the limit of ", with_thousands(max_bytes),
                                         " bytes for all project instructions."));
    }
    for (const InstructionPart& part : found_.parts) {
      found_.text += concat("<project_instructions path=\"", escape_xml(part.path), "\">\n", part.text,
                            part.text.empty() || part.text.ends_with('\n') ? "" : "\n");
      if (part.left_out > 0)
        found_.text +=
            concat("[", with_thousands(part.left_out), " bytes are left out; read the file to see them]\n");
      found_.text += "</project_instructions>\n";
    }
    return std::move(found_);
  }

 private:
  void add(const std::string& path) {
    const std::string real = concat(start_.path() == "/" ? "" : start_.path(), "/", path);
    const std::string shown = workspace_.relative_name(real);
    const auto file = start_.open_read(path);
    const auto bytes =
        file ? workspace::read_part(*file, 0, kMostRead) : Expected<std::string>(fail(file.error()));
    if (!bytes) {
      found_.warnings.push_back(concat(shown, " is left out: ", bytes.error().message));
      return;
    }
    const std::string text = decoded(*bytes);
    if (text.empty() && !bytes->empty()) {
      found_.warnings.push_back(concat(shown, " is left out: it is not a text file."));
      return;
    }
    if (trim(text).empty()) return;
    found_.parts.push_back({shown, text, file->size() > bytes->size() ? file->size() - bytes->size() : 0});
  }

  const workspace::Root& workspace_;
  const workspace::Root& start_;
  ProjectInstructions found_;
};

}  // namespace

Expected<ProjectInstructions> project_instructions(const workspace::Root& workspace,
                                                   std::string_view directory, std::size_t max_bytes) {
  const auto opened = workspace.open_directory(directory);
  if (!opened) return fail(opened.error());
  const std::vector<std::string> base = workspace::split_path(workspace.path()).components;
  std::vector<std::string> components = base;
  for (std::string& component : workspace::split_path(opened->path).components)
    components.push_back(std::move(component));
  const std::size_t first = repository_depth(components, base.size()).value_or(base.size());

  // Above the workspace, files are read through the repository root, so symlinks cannot lead out of it.
  std::optional<workspace::Root> above;
  if (first < base.size()) {
    auto root = workspace::Root::open(absolute(std::span(components).first(first)));
    if (!root) return fail(root.error());
    above.emplace(*std::move(root));
  }
  const workspace::Root& start = above ? *above : workspace;
  const std::size_t start_depth = above ? first : base.size();
  Collector collector(workspace, start);
  for (std::size_t depth = first; depth <= components.size(); ++depth)
    collector.look_in(workspace::join_path(std::span(components).subspan(start_depth, depth - start_depth)));
  return collector.take(max_bytes);
}

}  // namespace helve::skills
