; Rust.
(function_item) @function
(function_signature_item) @function
(struct_item) @struct
(union_item) @union
(enum_item) @enum
(enum_variant) @enumerator
(trait_item bounds: (_)? @bases) @trait
(impl_item trait: (_)? @bases type: (_) @name) @impl
(mod_item body: (_)) @namespace
(type_item) @type
(associated_type) @type
(macro_definition) @macro
(field_declaration) @field
(const_item) @constant
(static_item) @variable
(closure_expression) @scope

;; details
(use_declaration) @import
(extern_crate_declaration) @import
(attribute_item) @decorator
[(if_expression) (for_expression) (while_expression) (loop_expression) (match_arm) (try_expression)
 "&&" "||"] @branch
