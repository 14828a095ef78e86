; Functions and classes, at any depth. The docstring is the first statement of the body. The signature ends at the colon:
; a comment may stand between it and the block.
(function_definition
  name: (identifier) @name
  ":" @body
  body: (block . (expression_statement . (string) @doc)?)) @def.function

; Any number of bases in one match. `metaclass=M` is no base.
(class_definition
  name: (identifier) @name
  superclasses: (argument_list [(identifier) (attribute) (subscript) (call)] @base)*
  ":" @body
  body: (block . (expression_statement . (string) @doc)?)) @def.class

; Decorators stand beside the definition; they are joined to what follows them.
(decorator) @decorator

; Names of the module, also under its `if` and `try`, where optional imports set flags, and of classes.
; Locals are not even captured: assignment is the most frequent statement there is.
(module [
  (expression_statement (assignment left: [(identifier) @name (pattern_list (identifier) @name)]) @def.variable)
  (if_statement (block (expression_statement (assignment left: (identifier) @name) @def.variable)))
  (if_statement (else_clause (block (expression_statement (assignment left: (identifier) @name) @def.variable))))
  (try_statement (block (expression_statement (assignment left: (identifier) @name) @def.variable)))
  (try_statement (except_clause (block (expression_statement (assignment left: (identifier) @name) @def.variable))))
])
(module [
  (expression_statement (assignment left: [(identifier) @name (pattern_list (identifier) @name)]) @def.constant)
  (if_statement (block (expression_statement (assignment left: (identifier) @name) @def.constant)))
  (if_statement (else_clause (block (expression_statement (assignment left: (identifier) @name) @def.constant))))
  (try_statement (block (expression_statement (assignment left: (identifier) @name) @def.constant)))
  (try_statement (except_clause (block (expression_statement (assignment left: (identifier) @name) @def.constant))))
] (#match? @name "^[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: (identifier) @name right: (lambda body: (_) @body)) @def.function))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @def.field)))

(type_alias_statement left: (type [(identifier) @name (generic_type (identifier) @name)])) @def.type

; `f()` and `a.b.f()`; a call of a call's result, `f()()`, has no name of its own.
(call function: (identifier) @callee) @call
(call function: (attribute object: (_) @receiver attribute: (identifier) @callee)) @call

; A decorator without parentheses calls its name too.
(decorator (identifier) @callee) @call
(decorator (attribute object: (_) @receiver attribute: (identifier) @callee)) @call

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
