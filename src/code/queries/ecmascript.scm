; Common parts of JavaScript and TypeScript.
(function_declaration) @function
(generator_function_declaration) @function
(method_definition) @method
(class_declaration) @class
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator name: (identifier) @name) @variable
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @variable
(assignment_expression
  left: (member_expression object: (_) @container property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(pair key: (property_identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @entry
(return_statement (function_expression name: (identifier)) @function)
(arguments (function_expression name: (identifier)) @function)
(arrow_function body: (function_expression name: (identifier)) @function)
(arrow_function) @scope
(function_expression) @scope
(generator_function) @scope
(for_statement) @scope

;; details
(import_statement) @import
(export_statement source: (_)) @import
(variable_declarator value: (call_expression function: (identifier) @_require)
  (#eq? @_require "require")) @import
(decorator) @decorator
[(if_statement) (for_statement) (for_in_statement) (while_statement) (do_statement) (catch_clause)
 (ternary_expression) (switch_case) "&&" "||" "??"] @branch
