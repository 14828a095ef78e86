; What JavaScript and TypeScript have in common. Not a language: javascript.scm and typescript.scm begin with it.

; --- functions ---
[(function_declaration) (generator_function_declaration) (function_expression) (generator_function)] @def.function

; `const f = () => …` at any depth. The whole declaration where it declares one name, so that the signature has its `const`.
[(lexical_declaration . (_
   name: (identifier) @name
   value: [(arrow_function) (function_expression) (generator_function)] @holder) .)
 (variable_declaration . (_
   name: (identifier) @name
   value: [(arrow_function) (function_expression) (generator_function)] @holder) .)
] @def.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @holder
) @def.function

; `exports.f = …`, `module.exports.f = …`, `this.f = …` define f; `Foo.f = …` and `Foo.prototype.f = …` define Foo's f.
(assignment_expression
  left: (_ object: [(identifier) (member_expression) (this)] @_object property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @holder
  (#match? @_object "^(exports|module\\.exports|this|self|window|global|globalThis)$")) @def.function
(assignment_expression
  left: (_ object: (identifier) @parent property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @holder
  (#not-match? @parent "^(exports|this|self|window|global|globalThis)$")) @def.method
(assignment_expression
  left: (_
    object: (_ object: (identifier) @parent property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @holder
  (#eq? @_prototype "prototype")) @def.method
; `jQuery.fn.hide = …` defines fn's hide; an arrow function does not, for its `this` is the class around.
(assignment_expression
  left: (_
    object: (member_expression property: (property_identifier) @parent)
    property: (property_identifier) @name)
  right: [(function_expression) (generator_function)] @holder
  (#not-match? @parent "^(prototype|exports)$")) @def.method

; --- methods, in classes and in object literals ---
(method_definition) @def.method
(method_definition name: (property_identifier) @name body: (_) @body (#eq? @name "constructor")) @def.constructor
(pair
  key: [(property_identifier) (string) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression) (generator_function)] @holder
) @def.method

; --- names of the module ---
; Again the whole declaration where it declares one name, else the part that does.
(program [
  (lexical_declaration kind: "const" . (_ name: (identifier) @name) .) @def.constant
  (export_statement (lexical_declaration kind: "const" . (_ name: (identifier) @name) .) @def.constant)
  (lexical_declaration kind: "const" (_ name: (identifier) @name) @def.constant)
  (export_statement (lexical_declaration kind: "const" (_ name: (identifier) @name) @def.constant))
  (lexical_declaration kind: "let" . (_ name: (identifier) @name) .) @def.variable
  (export_statement (lexical_declaration kind: "let" . (_ name: (identifier) @name) .) @def.variable)
  (lexical_declaration kind: "let" (_ name: (identifier) @name) @def.variable)
  (export_statement (lexical_declaration kind: "let" (_ name: (identifier) @name) @def.variable))
  (variable_declaration . (_ name: (identifier) @name) .) @def.variable
  (export_statement (variable_declaration . (_ name: (identifier) @name) .) @def.variable)
  (variable_declaration (_ name: (identifier) @name) @def.variable)
])
; `const View = memo(() => …)` is a function to its callers.
(lexical_declaration . (_
  name: (identifier) @name
  value: (_
    function: [(identifier) (member_expression)] @_wrapper
    arguments: (_ . [(arrow_function) (function_expression)] @holder))) .
  (#match? @_wrapper "^((React\\.)?(memo|forwardRef|cache)|observer|debounce|throttle|once|useCallback|asyncHandler|(with|define)[A-Z]\\w*)$")
) @def.function
; What a file exports without a name is called `default`.
(export_statement "default" @name value: [
  (arrow_function)
  (function_expression !name)
  (generator_function !name)] @holder) @def.function
(export_statement "default" @name value: (class !name body: (_) @body)) @def.class
(export_statement "default" @name value: (object) @body) @def.object

; Decorators stand before what they decorate, or in it before its name; `export` may come between.
(decorator) @decorator
(export_statement
  decorator: (decorator) @decorator
  declaration: (class_declaration name: (_) @name body: (_) @body) @def.class)

; --- calls; `new Foo()` calls Foo ---
(call_expression function: [(identifier) (super)] @callee)
(call_expression
  function: (_ object: (_) @receiver property: [(property_identifier) (private_property_identifier)] @callee))
(new_expression constructor: (identifier) @callee)
(new_expression constructor: (_ object: (_) @receiver property: (property_identifier) @callee))

; --- imports ---
(import_statement) @import
(export_statement source: (_)) @import
(program [
  (lexical_declaration (_ value: (_ function: (identifier) @_require)))
  (variable_declaration (_ value: (_ function: (identifier) @_require)))
  (expression_statement (_ function: (identifier) @_require))
] @import (#eq? @_require "require"))

; --- what names stand for; what is exported from another module is named here, too ---
(import_statement (_ (identifier) @default) source: (string) @module)
(import_statement (_ (namespace_import (identifier) @bound)) source: (string) @module)
(import_statement (_ (named_imports) @within) source: (string) @module)
(export_statement (export_clause) @within source: (string) @module)
(import_specifier !alias name: (_) @member)
(import_specifier name: (_) @member alias: (_) @bound)
(export_specifier !alias name: (_) @member)
(export_specifier name: (_) @member alias: (_) @bound)
(export_statement (namespace_export (_) @bound) source: (string) @module)
(export_statement "*" @all source: (string) @module)
(variable_declarator
  name: [
    (identifier) @bound
    (_ [
      (shorthand_property_identifier_pattern) @member
      (_ key: (property_identifier) @member value: (identifier) @bound)])]
  value: (_ function: (identifier) @_require arguments: (_ . (string) @module .))
  (#eq? @_require "require"))
(variable_declarator
  name: (identifier) @bound
  value: (member_expression
    object: (_ function: (identifier) @_require arguments: (_ . (string) @module .))
    property: (property_identifier) @member)
  (#eq? @_require "require"))
(variable_declarator
  name: [
    (identifier) @bound
    (_ [
      (shorthand_property_identifier_pattern) @member
      (_ key: (property_identifier) @member value: (identifier) @bound)])]
  value: (await_expression (_ function: (import) arguments: (_ . (string) @module .))))

(variable_declarator name: (identifier) @bound value: (_ constructor: [(identifier) (member_expression)] @new))
(assignment_expression
  left: [(identifier) (member_expression)] @bound
  right: (_ constructor: [(identifier) (member_expression)] @new))
