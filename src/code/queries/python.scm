; Python. How these files work: docs/code.md.
(function_definition) @function
(class_definition superclasses: (_)? @bases) @class
(type_alias_statement left: (type) @name) @type
(assignment left: (identifier) @name) @variable
(assignment left: (pattern_list (identifier) @name)) @variable
(lambda) @scope

;; details
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name)
  (#any-of? @_self "self" "cls")) @attribute
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
(decorator) @decorator
[(if_statement) (elif_clause) (for_statement) (while_statement) (except_clause) (conditional_expression)
 (case_clause) (for_in_clause) (if_clause) (assert_statement) "and" "or"] @branch
