; C, and the C part of C++.
(function_definition) @function
(declaration declarator: (_) @declarator) @variable
(struct_specifier body: (_)) @struct
(union_specifier body: (_)) @union
(enum_specifier body: (_)) @enum
(enumerator) @enumerator
(type_definition declarator: (_) @declarator) @type
(field_declaration declarator: (_) @declarator) @field
(preproc_def) @constant
(preproc_function_def) @macro
(compound_statement) @scope

;; details
(preproc_include) @import
[(if_statement) (for_statement) (while_statement) (do_statement) (case_statement)
 (conditional_expression) "&&" "||"] @branch
