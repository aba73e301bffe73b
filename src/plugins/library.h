// Loads a plugin that is a shared library into this process; the host side of helve/plugin.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "helve/context.h"
#include "helve/plugin.h"
#include "helve/tool.h"

namespace helve::plugins {

// Shared by its tools and unloaded with the last one. May be used from all threads.
class Library {
 public:
  // Loads the library and reads its description. An invalid library is an error. A crash ends this process,
  // which is why libraries usually run in their own process.
  [[nodiscard]] static Expected<std::shared_ptr<Library>> open(const std::string& file);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const std::vector<ToolDefinition>& tools() const { return tools_; }

  struct Call {
    std::string tool = {};
    Json arguments = {};
    std::string workspace = {};
    bool dry_run = false;
    std::function<bool()> should_stop = {};
    std::function<void(const Progress&)> on_progress = {};
  };
  [[nodiscard]] Result call(const Call& call) const;

 private:
  Library(void* handle, const helve_plugin* plugin, std::string file)
      : handle_(handle), plugin_(plugin), file_(std::move(file)) {}

  [[nodiscard]] Expected<Json> take(helve_text text, std::size_t longest, std::string_view what) const;
  [[nodiscard]] Expected<void> read_description();

  void* const handle_;
  const helve_plugin* const plugin_;
  const std::string file_;
  std::vector<ToolDefinition> tools_;
};

// The tools of a library in this process. Nothing enforces their effect, so all count as `execute` or
// `network`.
[[nodiscard]] std::vector<std::unique_ptr<Tool>> make_library_tools(const std::shared_ptr<Library>& library,
                                                                    const std::string& plugin,
                                                                    std::chrono::milliseconds time_limit);

}  // namespace helve::plugins
