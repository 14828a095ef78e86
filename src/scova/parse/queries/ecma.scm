; What JavaScript and TypeScript have in common. Not a language: javascript.scm and typescript.scm begin with it.

; --- functions ---
[(function_declaration name: (identifier) @name body: (_) @body)
 (generator_function_declaration name: (identifier) @name body: (_) @body)
 (function_expression name: (identifier) @name body: (_) @body)
 (generator_function name: (identifier) @name body: (_) @body)] @def.function

; `const f = () => …` at any depth. The whole declaration where it declares one name, so that the signature has its `const`.
[(lexical_declaration . (variable_declarator
   name: (identifier) @name
   value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) .)
 (variable_declaration . (variable_declarator
   name: (identifier) @name
   value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) .)
] @def.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
) @def.function

; `exports.f = …`, `module.exports.f = …`, `this.f = …` define f; `Foo.f = …` and `Foo.prototype.f = …` define Foo's f.
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression) (this)] @_object property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
  (#match? @_object "^(exports|module\\.exports|this|self|window|global|globalThis)$")) @def.function
(assignment_expression
  left: (member_expression object: (identifier) @parent property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
  (#not-match? @parent "^(exports|this|self|window|global|globalThis)$")) @def.method
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @parent property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
  (#eq? @_prototype "prototype")) @def.method

; --- methods, in classes and in object literals ---
(method_definition name: (_) @name body: (_) @body) @def.method
(method_definition name: (property_identifier) @name body: (_) @body (#eq? @name "constructor")) @def.constructor
(pair
  key: [(property_identifier) (string) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]
) @def.method

; --- names of the module ---
; Again the whole declaration where it declares one name, else the part that does.
(program [
  (lexical_declaration kind: "const" . (variable_declarator name: (identifier) @name) .) @def.constant
  (export_statement (lexical_declaration kind: "const" . (variable_declarator name: (identifier) @name) .) @def.constant)
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant)
  (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant))
  (lexical_declaration kind: "let" . (variable_declarator name: (identifier) @name) .) @def.variable
  (export_statement (lexical_declaration kind: "let" . (variable_declarator name: (identifier) @name) .) @def.variable)
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable)
  (export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable))
  (variable_declaration . (variable_declarator name: (identifier) @name) .) @def.variable
  (export_statement (variable_declaration . (variable_declarator name: (identifier) @name) .) @def.variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @def.variable)
])
; `const View = memo(() => …)` is a function to its callers.
(lexical_declaration . (variable_declarator
  name: (identifier) @name
  value: (call_expression
    function: [(identifier) (member_expression)] @_wrapper
    arguments: (arguments . [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) .
  (#match? @_wrapper "^((React\\.)?(memo|forwardRef|cache)|observer|debounce|throttle|once|useCallback|asyncHandler|(with|define)[A-Z]\\w*)$")
) @def.function
; What a file exports without a name is called `default`.
(export_statement "default" @name value: [
  (arrow_function body: (_) @body)
  (function_expression !name body: (_) @body)
  (generator_function !name body: (_) @body)]) @def.function
(export_statement "default" @name value: (class !name body: (_) @body)) @def.class
(export_statement "default" @name value: (object) @body) @def.object

; Decorators stand before what they decorate, or in it before its name; `export` may come between.
(decorator) @decorator
(export_statement
  decorator: (decorator) @decorator
  declaration: (class_declaration name: (_) @name body: (_) @body) @def.class)

; --- calls; `new Foo()` calls Foo ---
(call_expression function: [(identifier) (super)] @callee) @call
(call_expression
  function: (member_expression object: (_) @receiver property: [(property_identifier) (private_property_identifier)] @callee)) @call
(new_expression constructor: (identifier) @callee) @call
(new_expression constructor: (member_expression object: (_) @receiver property: (property_identifier) @callee)) @call

; --- imports ---
(import_statement) @import
(export_statement source: (_)) @import
(program [
  (lexical_declaration (variable_declarator value: (call_expression function: (identifier) @_require)))
  (variable_declaration (variable_declarator value: (call_expression function: (identifier) @_require)))
  (expression_statement (call_expression function: (identifier) @_require))
] @import (#eq? @_require "require"))
