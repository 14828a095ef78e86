; inherits: ecma
; --- classes ---
(class_declaration name: (type_identifier) @name body: (_) @body) @def.class
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @def.class
(class name: (type_identifier) @name body: (_) @body) @def.class
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class
(export_statement
  decorator: (decorator) @decorator
  declaration: (abstract_class_declaration name: (_) @name body: (_) @body) @def.class)

; Bases: each gives a match of its own, joined by the class's name. Type arguments are left out.
(class_declaration name: (_) @name (class_heritage (extends_clause value: (_) @base))) @def.class
(class_declaration name: (_) @name (class_heritage (implements_clause
  [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)]))) @def.class
(abstract_class_declaration name: (_) @name (class_heritage (extends_clause value: (_) @base))) @def.class
(abstract_class_declaration name: (_) @name (class_heritage (implements_clause
  [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)]))) @def.class
(class name: (_) @name (class_heritage (extends_clause value: (_) @base))) @def.class
(variable_declarator name: (_) @name value: (class (class_heritage (extends_clause value: (_) @base)))) @def.class

(class_body (public_field_definition name: (_) @name) @def.field)
(class_body
  (public_field_definition
    name: (_) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method)
; Overloads and abstract methods have no body.
(class_body [(method_signature name: (_) @name) (abstract_method_signature name: (_) @name)] @def.method)

; --- interfaces, types, enums ---
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(interface_declaration name: (_) @name (extends_type_clause
  type: [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])) @def.interface
(interface_body (property_signature name: (_) @name) @def.property)
(interface_body (method_signature name: (_) @name) @def.method)
(type_alias_declaration name: (_) @name) @def.type
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_body [(enum_assignment name: (_) @name) @def.constant name: (property_identifier) @name @def.constant])

; --- declarations without a body, namespaces ---
(function_signature name: (_) @name) @def.function
(internal_module name: (_) @name body: (_) @body) @def.namespace
(module name: (_) @name body: (_)? @body) @def.module
(internal_module body: (statement_block [
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant)
  (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant
]))
(ambient_declaration [
  (lexical_declaration (variable_declarator name: (identifier) @name))
  (variable_declaration (variable_declarator name: (identifier) @name))
] @def.variable)

; `await f<T>(x)` is read as a call of `await f`.
(call_expression function: (await_expression [
  (identifier) @callee
  (member_expression object: (_) @receiver property: (_) @callee)])) @call
(export_statement "default" @name value: (class !name (class_heritage [
  (extends_clause value: (_) @base)
  (implements_clause [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])]))) @def.class
