; TypeScript and TSX, in addition to ecmascript.scm.
(class_declaration name: (_) @name (class_heritage) @bases) @class
(abstract_class_declaration name: (_) @name (class_heritage)? @bases) @class
(interface_declaration name: (_) @name (extends_type_clause)? @bases) @interface
(enum_declaration) @enum
(type_alias_declaration) @type
(internal_module) @namespace
(module) @namespace
(function_signature) @function
(method_signature) @method
(abstract_method_signature) @method
(interface_body (property_signature) @field)
(type_alias_declaration value: (object_type (property_signature) @field))
(public_field_definition value: [(arrow_function) (function_expression)]) @method
(public_field_definition) @field
(enum_body (property_identifier) @name @enumerator)
(enum_assignment) @enumerator
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @attribute
(required_parameter "readonly" pattern: (identifier) @name) @attribute

;; details
(import_alias) @import
