; Swift.

(import_declaration) @import

; What is common is asked once, and bodies on their own: an option in a pattern costs 10-100 ms to compile.

(modifiers (attribute) @decorator)
[(function_body) (computed_property)] @body

; --- types: one grammar node for class, struct, enum, actor and extension; bases stand without their type arguments ---
(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name body: (_) @body) @def.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name body: (_) @body) @def.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @def.enum
(protocol_declaration name: (type_identifier) @name body: (_) @body) @def.protocol
; An extension defines nothing itself: it gives its members their parent.
(class_declaration declaration_kind: "extension" name: (_) @name) @scope
(class_declaration
  name: (_) @name
  (inheritance_specifier inherits_from: [(_ (type_identifier) @base .) (_ (type_identifier) @base . (type_arguments) .)])) @scope
(protocol_declaration
  name: (_) @name
  (inheritance_specifier inherits_from: [(_ (type_identifier) @base .) (_ (type_identifier) @base . (type_arguments) .)])) @scope
(typealias_declaration "typealias" . name: (_) @name) @def.type
(associatedtype_declaration "associatedtype" . name: (_) @name) @def.type
(macro_declaration (simple_identifier) @name) @def.macro
(enum_entry name: (simple_identifier) @name) @def.constant

; --- functions; the first name is the function's, a later field of that name is its result type ---
(function_declaration "func" . name: _ @name) @def.function
(protocol_function_declaration "func" . name: _ @name) @def.method
(init_declaration name: "init" @name) @def.constructor
(deinit_declaration "deinit" @name) @def.method
(subscript_declaration "subscript" @name) @def.method

; --- properties of files and types; locals stand in `statements` and are left out ---
(source_file
  (property_declaration
    (value_binding_pattern mutability: "let")
    name: (pattern bound_identifier: (simple_identifier) @name)) @def.constant)
(source_file
  (property_declaration
    (value_binding_pattern mutability: "var")
    name: (pattern bound_identifier: (simple_identifier) @name)) @def.variable)
(class_body
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)) @def.property)
(enum_class_body
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)) @def.property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.property

; --- calls; a subscript parses as a call with `[`, so the round bracket or the closure is asked for ---
(call_expression
  . (simple_identifier) @callee
  (call_suffix [(value_arguments "(") (lambda_literal)]))
(call_expression
  . (_ target: (_) @receiver suffix: (_ suffix: (simple_identifier) @callee))
  (call_suffix [(value_arguments "(") (lambda_literal)]))
(constructor_expression constructed_type: (user_type (type_identifier) @callee))

; --- what names stand for; `(_ …)` inside costs a compiler nothing, a named node 10 ms and more ---
(import_declaration (identifier) @path @all)
(parameter name: (simple_identifier) @bound . name: (_) @type)
(property_declaration name: (_ bound_identifier: (_) @bound) (type_annotation) @type)
(class_body (_ name: (_ bound_identifier: (_) @field) (type_annotation) @type))
(property_declaration name: (_ bound_identifier: (_) @bound) value: (_ . [(simple_identifier) (navigation_expression)] @maker (call_suffix)))
(class_body (_ name: (_ bound_identifier: (_) @field) value: (_ . [(simple_identifier) (navigation_expression)] @maker (call_suffix))))
(assignment target: (_) @bound result: (_ . [(simple_identifier) (navigation_expression)] @maker (call_suffix)))
