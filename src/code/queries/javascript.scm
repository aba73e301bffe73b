; JavaScript, in addition to ecmascript.scm.
(field_definition property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @method
(field_definition property: (_) @name) @field
(class_declaration (class_heritage) @bases) @class
