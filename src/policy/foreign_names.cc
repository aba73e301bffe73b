#include "policy/foreign_names.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace helve::policy {
namespace {

// Names that are Helve's own as well (opencode's read, Gemini CLI's ask_user) are not repeated.
// Tools without a counterpart here (WebFetch, TodoWrite, Task) are not in the table.
constexpr auto kNames = std::to_array<ForeignName>({
    // Claude Code 2.1
    {"Bash", "exec", Agent::kClaudeCode},
    {"PowerShell", "exec", Agent::kClaudeCode},
    {"BashOutput", "process", Agent::kClaudeCode},
    {"KillBash", "process", Agent::kClaudeCode},
    {"KillShell", "process", Agent::kClaudeCode},
    {"TaskOutput", "process", Agent::kClaudeCode},
    {"TaskStop", "process", Agent::kClaudeCode},
    {"Read", "read", Agent::kClaudeCode},
    {"NotebookRead", "read", Agent::kClaudeCode},
    {"Write", "write", Agent::kClaudeCode},
    {"Edit", "edit", Agent::kClaudeCode},
    {"MultiEdit", "multi_edit", Agent::kClaudeCode},
    {"Glob", "find", Agent::kClaudeCode},
    {"Grep", "grep", Agent::kClaudeCode},
    {"LS", "ls", Agent::kClaudeCode},
    {"AskUserQuestion", "ask_user", Agent::kClaudeCode},
    // Codex 0.166
    {"shell", "exec", Agent::kCodex},
    {"shell_command", "exec", Agent::kCodex},
    {"local_shell", "exec", Agent::kCodex},
    {"container.exec", "exec", Agent::kCodex},
    {"exec_command", "exec", Agent::kCodex},
    {"write_stdin", "process", Agent::kCodex},
    {"read_file", "read", Agent::kCodex},
    {"view_image", "read", Agent::kCodex},
    {"list_dir", "ls", Agent::kCodex},
    {"grep_files", "grep", Agent::kCodex},
    {"request_user_input", "ask_user", Agent::kCodex},
    // Gemini CLI 0.61; read_file is in Codex's names
    {"run_shell_command", "exec", Agent::kGeminiCli},
    {"read_many_files", "read", Agent::kGeminiCli},
    {"write_file", "write", Agent::kGeminiCli},
    {"replace", "edit", Agent::kGeminiCli},
    {"glob", "find", Agent::kGeminiCli},
    {"grep_search", "grep", Agent::kGeminiCli},
    {"search_file_content", "grep", Agent::kGeminiCli},
    {"list_directory", "ls", Agent::kGeminiCli},
    // opencode 1.18
    {"bash", "exec", Agent::kOpencode},
    {"list", "ls", Agent::kOpencode},
    {"multiedit", "multi_edit", Agent::kOpencode},
    {"patch", "apply_patch", Agent::kOpencode},
    {"question", "ask_user", Agent::kOpencode},
    // Guesses
    {"append_file", "write", Agent::kGuess},
    {"append_to_file", "write", Agent::kGuess},
    {"apply_diff", "apply_patch", Agent::kGuess},
    {"ask_followup_question", "ask_user", Agent::kGuess},
    {"ask_question", "ask_user", Agent::kGuess},
    {"browser", "use_browser", Agent::kGuess},
    {"browser_action", "use_browser", Agent::kGuess},
    {"cat", "read", Agent::kGuess},
    {"cmd", "exec", Agent::kGuess},
    {"code_search", "code_query", Agent::kGuess},
    {"codebase_search", "code_query", Agent::kGuess},
    {"copy_file", "exec", Agent::kGuess},
    {"create_directory", "write", Agent::kGuess},
    {"create_file", "write", Agent::kGuess},
    {"create_new_file", "write", Agent::kGuess},
    {"delete_file", "apply_patch", Agent::kGuess},
    {"delete_files", "apply_patch", Agent::kGuess},
    {"delete_lines", "edit", Agent::kGuess},
    {"diagnostics", "get_diagnostics", Agent::kGuess},
    {"dir", "ls", Agent::kGuess},
    {"directory_tree", "ls", Agent::kGuess},
    {"edit_file", "edit", Agent::kGuess},
    {"edit_lines", "edit", Agent::kGuess},
    {"edit_text", "edit", Agent::kGuess},
    {"execute", "exec", Agent::kGuess},
    {"execute_bash", "exec", Agent::kGuess},
    {"execute_command", "exec", Agent::kGuess},
    {"file_delete", "apply_patch", Agent::kGuess},
    {"file_edit", "edit", Agent::kGuess},
    {"file_list", "ls", Agent::kGuess},
    {"file_read", "read", Agent::kGuess},
    {"file_search", "find", Agent::kGuess},
    {"file_write", "write", Agent::kGuess},
    {"find_by_name", "find", Agent::kGuess},
    {"find_definition", "goto_definition", Agent::kGuess},
    {"find_files", "find", Agent::kGuess},
    {"find_in_files", "grep", Agent::kGuess},
    {"format", "format_code", Agent::kGuess},
    {"format_file", "format_code", Agent::kGuess},
    {"fsread", "read", Agent::kGuess},
    {"fswrite", "write", Agent::kGuess},
    {"get_file_info", "ls", Agent::kGuess},
    {"get_file_outline", "get_code_outline", Agent::kGuess},
    {"get_file_tree", "ls", Agent::kGuess},
    {"get_hover", "hover_info", Agent::kGuess},
    {"get_problems", "get_diagnostics", Agent::kGuess},
    {"git_diff", "exec", Agent::kGuess},
    {"git_status", "exec", Agent::kGuess},
    {"glob_search", "find", Agent::kGuess},
    {"go_to_definition", "goto_definition", Agent::kGuess},
    {"head", "read", Agent::kGuess},
    {"hover", "hover_info", Agent::kGuess},
    {"insert_at_line", "edit", Agent::kGuess},
    {"insert_edit_into_file", "edit", Agent::kGuess},
    {"insert_lines", "edit", Agent::kGuess},
    {"kill_process", "process", Agent::kGuess},
    {"lint", "lint_code", Agent::kGuess},
    {"lint_file", "lint_code", Agent::kGuess},
    {"list_code_definition_names", "find_symbols", Agent::kGuess},
    {"list_files", "ls", Agent::kGuess},
    {"list_processes", "process", Agent::kGuess},
    {"load_snippet", "snippet_load", Agent::kGuess},
    {"make_directory", "write", Agent::kGuess},
    {"mkdir", "write", Agent::kGuess},
    {"move_file", "apply_patch", Agent::kGuess},
    {"move_files", "apply_patch", Agent::kGuess},
    {"open", "read", Agent::kGuess},
    {"open_file", "read", Agent::kGuess},
    {"outline", "get_code_outline", Agent::kGuess},
    {"read_directory", "ls", Agent::kGuess},
    {"read_multiple_files", "read", Agent::kGuess},
    {"read_output", "process", Agent::kGuess},
    {"read_text_file", "read", Agent::kGuess},
    {"redo", "history", Agent::kGuess},
    {"references", "find_references", Agent::kGuess},
    {"remove_file", "apply_patch", Agent::kGuess},
    {"rename_file", "apply_patch", Agent::kGuess},
    {"replace_in_file", "edit", Agent::kGuess},
    {"replace_lines", "edit", Agent::kGuess},
    {"replace_string_in_file", "edit", Agent::kGuess},
    {"revert", "undo", Agent::kGuess},
    {"rg", "grep", Agent::kGuess},
    {"ripgrep", "grep", Agent::kGuess},
    {"run", "exec", Agent::kGuess},
    {"run_bash", "exec", Agent::kGuess},
    {"run_command", "exec", Agent::kGuess},
    {"run_in_terminal", "exec", Agent::kGuess},
    {"run_terminal_cmd", "exec", Agent::kGuess},
    {"run_terminal_command", "exec", Agent::kGuess},
    {"save_file", "write", Agent::kGuess},
    {"save_snippet", "snippet_save", Agent::kGuess},
    {"search", "grep", Agent::kGuess},
    {"search_and_replace", "edit", Agent::kGuess},
    {"search_code", "grep", Agent::kGuess},
    {"search_files", "find", Agent::kGuess},
    {"search_replace", "edit", Agent::kGuess},
    {"search_symbols", "code_query", Agent::kGuess},
    {"search_text", "grep", Agent::kGuess},
    {"sed", "edit", Agent::kGuess},
    {"str_replace", "edit", Agent::kGuess},
    {"str_replace_based_edit_tool", "edit", Agent::kGuess},
    {"str_replace_editor", "edit", Agent::kGuess},
    {"tail", "read", Agent::kGuess},
    {"terminal", "exec", Agent::kGuess},
    {"text_editor", "edit", Agent::kGuess},
    {"text_replace", "edit", Agent::kGuess},
    {"tree", "ls", Agent::kGuess},
    {"undo_edit", "undo", Agent::kGuess},
    {"view", "read", Agent::kGuess},
    {"view_file", "read", Agent::kGuess},
    {"write_to_file", "write", Agent::kGuess},
});

std::string without_separators(std::string_view name) {
  std::string plain = to_lower(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-' || c == '.'; });
  return plain;
}

}  // namespace

std::span<const ForeignName> foreign_names() { return kNames; }

std::string_view tool_of_agents(std::string_view name, const MoreNames& more) {
  if (const auto own = more.find(std::string(name)); own != more.end()) return own->second;
  for (const ForeignName& each : kNames)
    if (each.agent != Agent::kGuess && each.name == name) return each.tool;
  return {};
}

std::string_view tool_of_claude_code(std::string_view name) {
  for (const ForeignName& each : kNames)
    if (each.agent == Agent::kClaudeCode && each.name == name) return each.tool;
  return {};
}

std::string_view tool_guessed(std::string_view name, const MoreNames& more) {
  const std::string plain = without_separators(name);
  for (const auto& [own, tool] : more)
    if (without_separators(own) == plain) return tool;
  for (const ForeignName& each : kNames)
    if (without_separators(each.name) == plain) return each.tool;
  return {};
}

}  // namespace helve::policy
