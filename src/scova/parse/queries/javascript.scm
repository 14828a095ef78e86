; inherits: ecma jsx
; --- classes ---
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(class_declaration name: (identifier) @name (class_heritage (_) @base) body: (_) @body) @def.class
(class name: (identifier) @name body: (_) @body) @def.class
; `const Foo = class extends Bar {}`
(variable_declarator name: (identifier) @name value: (class (class_heritage (_) @base)? body: (_) @body)) @def.class

(class_body (field_definition property: (_) @name) @def.field)
(class_body
  (field_definition
    property: (_) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method)
