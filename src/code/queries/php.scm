; PHP.
(function_definition) @function
(method_declaration) @method
(class_declaration name: (_) @name (base_clause)? @bases (class_interface_clause)? @bases) @class
(interface_declaration name: (_) @name (base_clause)? @bases) @interface
(trait_declaration) @trait
(enum_declaration name: (_) @name (class_interface_clause)? @bases) @enum
(enum_case) @enumerator
(namespace_definition name: (_) body: (_)) @namespace
(property_declaration (property_element name: (variable_name (name) @name))) @field
(property_promotion_parameter name: (variable_name (name) @name)) @attribute
(const_element . (name) @name) @constant
(expression_statement (assignment_expression left: (variable_name (name) @name))) @variable
(anonymous_function) @scope
(arrow_function) @scope

;; details
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import
(attribute_group) @decorator
[(if_statement) (else_if_clause) (for_statement) (foreach_statement) (while_statement) (do_statement)
 (catch_clause) (case_statement) (conditional_expression) (match_conditional_expression)
 "&&" "||" "and" "or" "??"] @branch
