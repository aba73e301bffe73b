#include "code/declarator.h"

namespace helve::code {
namespace {

// Where to go on looking for the name; null at its end.
TSNode next_inwards(TSNode node) {
  for (const std::string_view field : {"declarator", "name"})
    if (const TSNode child = field_of(node, field); !ts_node_is_null(child)) return child;
  const std::string_view type = type_of(node);
  if (type == "parenthesized_declarator" || type == "reference_declarator" ||
      type == "attributed_declarator" || type == "init_declarator" || type == "variadic_declarator" ||
      type == "abstract_function_declarator")
    for (const TSNode child : children_of(node, 16))
      if (ts_node_is_named(child) && type_of(child) != "ms_call_modifier" && type_of(child) != "comment")
        return child;
  return {};
}

}  // namespace

DeclaredName find_declared_name(TSNode declarator, std::string_view text) {
  DeclaredName found;
  bool in_parentheses = false;  // int (*name)(int): a variable, not a function
  TSNode node = declarator;
  std::uint32_t scope_begin = 0;
  for (int depth = 0; depth < 32 && !ts_node_is_null(node); ++depth) {
    const std::string_view type = type_of(node);
    if (type == "function_declarator") found.function = node;
    if (type == "parenthesized_declarator" && !ts_node_is_null(found.function)) in_parentheses = true;
    if (type == "pointer_declarator" || type == "reference_declarator") {
      const TSNode inner = next_inwards(node);
      if (!ts_node_is_null(inner) && found.pointers.empty())
        found.pointers =
            text.substr(ts_node_start_byte(node), ts_node_start_byte(inner) - ts_node_start_byte(node));
    }
    if (type == "qualified_identifier") {
      const TSNode name = field_of(node, "name");
      if (ts_node_is_null(name)) break;
      if (scope_begin == 0 && found.scope.empty()) scope_begin = ts_node_start_byte(node);
      found.scope = text.substr(scope_begin, ts_node_start_byte(name) - scope_begin);
      if (found.scope.ends_with("::")) found.scope.remove_suffix(2);
    }
    const TSNode inner = type == "operator_cast" || type == "destructor_name" ? TSNode{} : next_inwards(node);
    if (ts_node_is_null(inner)) {
      if (ts_node_is_named(node)) found.name = node;
      break;
    }
    node = inner;
  }
  if (in_parentheses) found.function = {};
  const std::string_view type = type_of(found.name);
  if (type.ends_with("_declarator") || type == "structured_binding_declarator") found.name = {};
  return found;
}

}  // namespace helve::code
