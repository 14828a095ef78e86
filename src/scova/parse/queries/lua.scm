; Lua.

; --- functions; `function M.foo` and `function M:foo` name their parent ---
(function_declaration name: (identifier) @name body: (block)? @body) @def.function
(function_declaration
  name: (dot_index_expression table: (_) @parent field: (identifier) @name)
  body: (block)? @body) @def.function
(function_declaration
  name: (method_index_expression table: (_) @parent method: (identifier) @name)
  body: (block)? @body) @def.method

; `local f = function`, `f = function`, `M.f = function`, `M["f"] = function`: the first name with the first value,
; and among locals the second with the second.
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (block)? @body)))) @def.function
(variable_declaration
  (assignment_statement
    (variable_list . name: (_) . name: (identifier) @name)
    (expression_list . value: (_) . value: (function_definition)))) @def.function
(chunk
  (assignment_statement
    (variable_list
      . name: [
        (identifier) @name
        (dot_index_expression table: (_) @parent field: (identifier) @name)
        (bracket_index_expression table: (_) @parent field: (string content: (string_content) @name))
      ])
    (expression_list . value: (function_definition body: (block)? @body))) @def.function)
(block
  (assignment_statement
    (variable_list
      . name: [
        (identifier) @name
        (dot_index_expression table: (_) @parent field: (identifier) @name)
        (bracket_index_expression table: (_) @parent field: (string content: (string_content) @name))
      ])
    (expression_list . value: (function_definition body: (block)? @body))) @def.function)

; A function in a table constructor belongs to whatever holds the table.
(field
  name: [(identifier) @name (string content: (string_content) @name)]
  value: (function_definition body: (block)? @body)) @def.function

; --- variables of the file; modules taken in with require are imports instead ---
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name)
      (expression_list . value: (_) @_value))
    (#match? @name "^[A-Z][A-Z0-9_]+$")
    (#not-match? @_value "^(require|function)\\b")) @def.constant)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name)
      (expression_list . value: (_) @_value))
    (#not-match? @name "^[A-Z][A-Z0-9_]+$")
    (#not-match? @_value "^(require|function)\\b")) @def.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @def.variable)
(chunk
  (assignment_statement
    (variable_list name: (identifier) @name)
    (expression_list . value: (_) @_value)
    (#not-match? @_value "^(require|function)\\b")) @def.variable)
(chunk
  (assignment_statement
    (variable_list name: (dot_index_expression table: (_) @parent field: (identifier) @name))
    (expression_list . value: (_) @_value)
    (#not-match? @_value "^function\\b")) @def.field)

; --- calls ---
(function_call name: (identifier) @callee (#not-eq? @callee "require"))
(function_call name: (dot_index_expression table: (_) @receiver field: (identifier) @callee))
(function_call name: (method_index_expression table: (_) @receiver method: (identifier) @callee))

; --- imports ---
(variable_declaration
  (assignment_statement
    (expression_list . value: (_) @_value)
    (#match? @_value "^require\\b"))) @import
(chunk (function_call name: (identifier) @_require (#eq? @_require "require")) @import)
(block (function_call name: (identifier) @_require (#eq? @_require "require")) @import)

; --- what names stand for ---
(assignment_statement
  (variable_list . name: (identifier) @bound .)
  (expression_list . value: (function_call name: (identifier) @_require arguments: (arguments . (string) @module .)) .)
  (#eq? @_require "require"))
