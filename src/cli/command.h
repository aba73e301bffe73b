// A command of the `helve` program: options with descriptions, and a function.
//
//   struct Tools {
//     static constexpr std::string_view kName = "tools";
//     static constexpr std::string_view kSummary = "List the tools, or show one";
//     static constexpr auto kPositionals = std::to_array<std::string_view>({"name"});
//     struct Options { …; void describe(ParamSpec& p); };
//     int run(const Shell& shell, const Options& options) const;
//   };
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/invocation.h"
#include "cli/flags.h"

namespace helve::cli {

class Command {
 public:
  virtual ~Command() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;
  [[nodiscard]] virtual std::string_view details() const = 0;  // more help; may be empty
  [[nodiscard]] virtual FlagSet flags() const = 0;
  // `values` were validated against flags().
  [[nodiscard]] virtual int run(const app::Invocation& shell, const Json& values) const = 0;
};

template <class C>
class TypedCommand final : public Command {
 public:
  std::string_view name() const override { return C::kName; }
  std::string_view summary() const override { return C::kSummary; }
  std::string_view details() const override {
    if constexpr (requires { C::kDetails; }) return C::kDetails;
    return {};
  }
  FlagSet flags() const override {
    FlagSet flags{params_of<typename C::Options>(), {}};
    if constexpr (requires { C::kPositionals; })
      for (const std::string_view name : C::kPositionals) flags.positionals.emplace_back(name);
    return flags;
  }
  int run(const app::Invocation& shell, const Json& values) const override {
    return C().run(shell, fill_params<typename C::Options>(values));
  }
};

// Each is defined in the file of its name, command_….cc.
[[nodiscard]] std::unique_ptr<Command> make_tools_command();
[[nodiscard]] std::unique_ptr<Command> make_call_command();
[[nodiscard]] std::unique_ptr<Command> make_explain_command();
[[nodiscard]] std::unique_ptr<Command> make_mcp_command();
[[nodiscard]] std::unique_ptr<Command> make_serve_command();
[[nodiscard]] std::unique_ptr<Command> make_prompt_command();
[[nodiscard]] std::unique_ptr<Command> make_agent_command();
[[nodiscard]] std::unique_ptr<Command> make_approvals_command();
[[nodiscard]] std::unique_ptr<Command> make_sessions_command();
[[nodiscard]] std::unique_ptr<Command> make_skills_command();
[[nodiscard]] std::unique_ptr<Command> make_snippets_command();
[[nodiscard]] std::unique_ptr<Command> make_plugin_command();
[[nodiscard]] std::unique_ptr<Command> make_config_command();
[[nodiscard]] std::unique_ptr<Command> make_lsp_command();
[[nodiscard]] std::unique_ptr<Command> make_audit_command();
[[nodiscard]] std::unique_ptr<Command> make_doctor_command();
[[nodiscard]] std::unique_ptr<Command> make_init_command();
[[nodiscard]] std::unique_ptr<Command> make_completion_command();
[[nodiscard]] std::unique_ptr<Command> make_man_command();

// In the order of the help page.
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace helve::cli
