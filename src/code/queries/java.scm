; Java.
(class_declaration superclass: (_)? @bases interfaces: (_)? @bases) @class
(record_declaration interfaces: (_)? @bases) @class
(interface_declaration (extends_interfaces)? @bases) @interface
(annotation_type_declaration) @interface
(enum_declaration interfaces: (_)? @bases) @enum
(enum_constant) @enumerator
(method_declaration) @method
(constructor_declaration) @method
(compact_constructor_declaration) @method
(annotation_type_element_declaration) @method
(field_declaration declarator: (variable_declarator name: (_) @name)) @field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @field
(lambda_expression) @scope

;; details
(import_declaration) @import
(package_declaration) @import
(annotation) @decorator
(marker_annotation) @decorator
[(if_statement) (for_statement) (enhanced_for_statement) (while_statement) (do_statement) (catch_clause)
 (ternary_expression) (switch_label) "&&" "||"] @branch
