; C++, in addition to c.scm.
(class_specifier name: (_) @name (base_class_clause)? @bases body: (_)) @class
(struct_specifier name: (_) @name (base_class_clause) @bases body: (_)) @struct
(namespace_definition name: (_)) @namespace
(concept_definition) @type
(alias_declaration) @type
(lambda_expression) @scope

;; details
(using_declaration) @import
[(for_range_loop) (catch_clause)] @branch
(attribute_declaration) @decorator
