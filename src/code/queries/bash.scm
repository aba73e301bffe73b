; Bash and other shells.
(function_definition) @function
(variable_assignment name: (variable_name) @name) @variable
(subshell) @scope
(command_substitution) @scope

;; details
(command name: (command_name) @_source argument: (_) (#any-of? @_source "source" ".")) @import
[(if_statement) (elif_clause) (for_statement) (c_style_for_statement) (while_statement) (case_item)
 "&&" "||"] @branch
