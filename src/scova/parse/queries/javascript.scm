; inherits: ecma jsx
; --- classes ---
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(class_declaration name: (identifier) @name (class_heritage (_) @base) body: (_) @body) @def.class
(class name: (identifier) @name body: (_) @body) @def.class
; `const Foo = class extends Bar {}`
(variable_declarator name: (identifier) @name value: (class (class_heritage (_) @base)? body: (_) @body)) @def.class

(class_body (_ property: (_) @name) @def.field)
(class_body
  (_
    property: (_) @name
    value: [(arrow_function) (function_expression)] @holder) @def.method)

; --- what names stand for ---
(field_definition
  property: [(property_identifier) (private_property_identifier)] @field
  value: (_ constructor: [(identifier) (member_expression)] @new))
