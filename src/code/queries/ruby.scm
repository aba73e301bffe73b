; Ruby.
(method) @method
(singleton_method) @method
(class superclass: (superclass (_) @bases)) @class
(class) @class
(module) @namespace
(assignment left: (constant) @name) @constant
(assignment left: (global_variable) @name) @variable
(call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor")) @field

;; details
(call method: (identifier) @_require arguments: (argument_list (string))
  (#any-of? @_require "require" "require_relative" "load")) @import
[(if) (unless) (elsif) (while) (until) (for) (when) (in_clause) (rescue) (conditional) (if_modifier)
 (unless_modifier) (while_modifier) (until_modifier) "&&" "||" "and" "or"] @branch
