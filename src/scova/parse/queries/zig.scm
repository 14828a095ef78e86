; Zig. Assignments parse as variable declarations, so the keyword is asked for.

; --- types: a constant that holds a container; the bracket is where its body starts ---
(variable_declaration "const" . (identifier) @name "=" . (struct_declaration "{" @body)) @def.struct
(variable_declaration "const" . (identifier) @name "=" . (enum_declaration "{" @body)) @def.enum
(variable_declaration "const" . (identifier) @name "=" . (union_declaration "{" @body)) @def.union
(variable_declaration "const" . (identifier) @name "=" . (opaque_declaration "{" @body)) @def.struct
(variable_declaration "const" . (identifier) @name "=" . (error_set_declaration "{" @body)) @def.enum

(struct_declaration (container_field name: (identifier) @name) @def.field)
(union_declaration (container_field name: (identifier) @name) @def.field)
(enum_declaration (container_field name: (identifier) @name) @def.constant)
(variable_declaration (error_set_declaration (identifier) @name @def.constant))

; --- functions; one inside a container is a method, a test is a function ---
(source_file (function_declaration name: (identifier) @name body: (block)? @body) @def.function)
(struct_declaration (function_declaration name: (identifier) @name body: (block)? @body) @def.method)
(enum_declaration (function_declaration name: (identifier) @name body: (block)? @body) @def.method)
(union_declaration (function_declaration name: (identifier) @name body: (block)? @body) @def.method)
(opaque_declaration (function_declaration name: (identifier) @name body: (block)? @body) @def.method)
(test_declaration [(string (string_content) @name) (identifier) @name] (block) @body) @def.function

; --- constants and variables of files and containers; locals stand in blocks and are left out. A constant that holds a
; container is also found above, as the more specific kind it is ---
(source_file
  (variable_declaration
    "const" . (identifier) @name
    "=" . _ @_value
    (#not-match? @_value "^@import\\b")) @def.constant)
(source_file (variable_declaration "var" . (identifier) @name) @def.variable)
(struct_declaration
  (variable_declaration
    "const" . (identifier) @name
    "=" . _ @_value
    (#not-match? @_value "^@import\\b")) @def.constant)
(struct_declaration (variable_declaration "var" . (identifier) @name) @def.variable)
(enum_declaration
  (variable_declaration
    "const" . (identifier) @name
    "=" . _ @_value
    (#not-match? @_value "^@import\\b")) @def.constant)
(enum_declaration (variable_declaration "var" . (identifier) @name) @def.variable)
(union_declaration
  (variable_declaration
    "const" . (identifier) @name
    "=" . _ @_value
    (#not-match? @_value "^@import\\b")) @def.constant)
(union_declaration (variable_declaration "var" . (identifier) @name) @def.variable)
(opaque_declaration
  (variable_declaration
    "const" . (identifier) @name
    "=" . _ @_value
    (#not-match? @_value "^@import\\b")) @def.constant)
(opaque_declaration (variable_declaration "var" . (identifier) @name) @def.variable)

; --- calls; built-in functions keep their `@` ---
(call_expression function: (identifier) @callee)
(call_expression function: (field_expression object: (_) @receiver member: (identifier) @callee))
(builtin_function (builtin_identifier) @callee (#not-eq? @callee "@import"))

; --- imports ---
(variable_declaration "=" . (_) @_value (#match? @_value "^@import\\b")) @import
(using_namespace_declaration) @import

; --- what names stand for ---
(variable_declaration "const" . (identifier) @bound "=" . (builtin_function
  (builtin_identifier) @_import
  (arguments . (string) @module .))
  (#eq? @_import "@import"))
(parameter name: (identifier) @bound type: (_) @type)
