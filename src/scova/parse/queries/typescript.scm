; inherits: ecma
; --- classes ---
[(class_declaration) (abstract_class_declaration)] @def.class
(class name: (type_identifier) @name body: (_) @body) @def.class
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class
(export_statement
  decorator: (decorator) @decorator
  declaration: (abstract_class_declaration name: (_) @name body: (_) @body) @def.class)

; Bases: each gives a match of its own, joined by the class's name. Type arguments are left out.
(class_declaration name: (_) @name (class_heritage (_ value: (_) @base))) @def.class
(class_declaration name: (_) @name (class_heritage (implements_clause
  [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)]))) @def.class
(abstract_class_declaration name: (_) @name (class_heritage (_ value: (_) @base))) @def.class
(abstract_class_declaration name: (_) @name (class_heritage (implements_clause
  [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)]))) @def.class
(class name: (_) @name (class_heritage (_ value: (_) @base))) @def.class
(variable_declarator name: (_) @name value: (class (class_heritage (_ value: (_) @base)))) @def.class

(class_body (public_field_definition) @def.field)
(class_body
  (_
    name: (_) @name
    value: [(arrow_function) (function_expression)] @holder) @def.method)
; Overloads and abstract methods have no body.
(class_body [(method_signature) (abstract_method_signature)] @def.method)

; --- interfaces, types, enums ---
(interface_declaration) @def.interface
(interface_declaration name: (_) @name (extends_type_clause
  type: [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])) @def.interface
(interface_body (property_signature) @def.property)
(interface_body (method_signature) @def.method)
(type_alias_declaration) @def.type
(enum_declaration) @def.enum
(enum_body [(enum_assignment name: (_) @name) @def.constant name: (property_identifier) @name @def.constant])

; --- declarations without a body, namespaces ---
(function_signature) @def.function
(internal_module) @def.namespace
(module) @def.module
(internal_module body: (_ [
  (export_statement (lexical_declaration (_ name: (identifier) @name)) @def.constant)
  (lexical_declaration (_ name: (identifier) @name)) @def.constant
]))
(ambient_declaration [
  (lexical_declaration (_ name: (identifier) @name))
  (variable_declaration (_ name: (identifier) @name))
] @def.variable)

; `await f<T>(x)` is read as a call of `await f`.
(call_expression function: (await_expression [
  (identifier) @callee
  (_ object: (_) @receiver property: (_) @callee)]))
(export_statement "default" @name value: (class !name (class_heritage [
  (extends_clause value: (_) @base)
  (implements_clause [(type_identifier) @base (nested_type_identifier) @base (generic_type name: (_) @base)])]))) @def.class

; --- what names stand for ---
(import_statement (import_require_clause (identifier) @bound source: (string) @module))
(required_parameter pattern: (identifier) @bound type: (_ (_) @type))
(optional_parameter pattern: (identifier) @bound type: (_ (_) @type))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (_ (_) @type))
(variable_declarator name: (identifier) @bound type: (_ (_) @type))
(property_signature name: (property_identifier) @field type: (_ (_) @type))
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @field
  value: (_ constructor: [(identifier) (member_expression)] @new))
; A parameter named in the type of a function is no name of this text.
(function_type) @ignore
