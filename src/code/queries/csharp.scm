; C#.
(class_declaration name: (_) @name (base_list)? @bases) @class
(struct_declaration name: (_) @name (base_list)? @bases) @struct
(record_declaration name: (_) @name (base_list)? @bases) @class
(interface_declaration name: (_) @name (base_list)? @bases) @interface
(enum_declaration name: (_) @name (base_list)? @bases) @enum
(enum_member_declaration) @enumerator
(delegate_declaration) @type
(namespace_declaration) @namespace
(file_scoped_namespace_declaration) @namespace
(method_declaration) @method
(constructor_declaration) @method
(destructor_declaration) @method
(operator_declaration operator: _ @name) @method
(indexer_declaration "this" @name) @field
(local_function_statement) @function
(property_declaration) @field
(event_declaration) @field
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(lambda_expression) @scope

;; details
(using_directive) @import
(attribute_list) @decorator
[(if_statement) (for_statement) (foreach_statement) (while_statement) (do_statement) (catch_clause)
 (conditional_expression) (switch_section) (switch_expression_arm) "&&" "||" "??"] @branch
