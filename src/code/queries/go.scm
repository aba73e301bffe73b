; Go.
(function_declaration) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @container))) @method
(type_spec type: (struct_type)) @struct
(type_spec type: (interface_type)) @interface
(type_spec) @type
(type_alias) @type
(method_elem) @method
(field_declaration name: (field_identifier) @name) @field
(const_spec name: (identifier) @name) @constant
(var_spec name: (identifier) @name) @variable
(func_literal) @scope

;; details
(field_declaration !name) @base
(import_spec) @import
[(if_statement) (for_statement) (expression_case) (type_case) (communication_case) "&&" "||"] @branch
