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
(call function: (identifier) @callee)
(call function: (attribute object: (_) @receiver attribute: (identifier) @callee))

; A decorator without parentheses calls its name too.
(decorator (identifier) @callee)
(decorator (attribute object: (_) @receiver attribute: (identifier) @callee))

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import

; --- what names stand for ---
(import_statement name: (dotted_name) @module @bound)
(import_statement name: (aliased_import name: (dotted_name) @module alias: (identifier) @bound))
(import_from_statement module_name: (_) @module name: (dotted_name) @member)
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @member alias: (identifier) @bound))
(import_from_statement module_name: (_) @module (wildcard_import) @all)

(typed_parameter . (identifier) @bound type: (type) @type)
(typed_default_parameter name: (identifier) @bound type: (type) @type)
(assignment left: [(identifier) (attribute)] @bound type: (type) @type)
(assignment left: [(identifier) (attribute)] @bound right: (call function: [(identifier) (attribute)] @maker))
(named_expression name: (identifier) @bound value: (call function: [(identifier) (attribute)] @maker))
(as_pattern (call function: [(identifier) (attribute)] @maker) alias: (as_pattern_target (identifier) @bound))
(except_clause (as_pattern . [(identifier) (attribute)] @type alias: (as_pattern_target (identifier) @bound)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @field type: (type) @type))))
(class_definition body: (block (expression_statement (assignment
  left: (identifier) @field
  right: (call function: [(identifier) (attribute)] @maker)))))
