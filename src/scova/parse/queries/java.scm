(package_declaration [(identifier) (scoped_identifier)] @package)
(import_declaration) @import

; --- types ---
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(record_declaration name: (identifier) @name body: (_) @body) @def.class
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(interface_declaration name: (identifier) @name body: (_) @body) @def.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @def.interface

; Bases: each gives a match of its own, joined by the type's name. Type arguments are left out.
(class_declaration name: (_) @name superclass: (superclass
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)])) @def.class
(class_declaration name: (_) @name interfaces: (super_interfaces (type_list
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)]))) @def.class
(record_declaration name: (_) @name interfaces: (super_interfaces (type_list
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)]))) @def.class
(enum_declaration name: (_) @name interfaces: (super_interfaces (type_list
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)]))) @def.enum
(interface_declaration name: (_) @name (extends_interfaces (type_list
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)]))) @def.interface

; --- members ---
(method_declaration name: (identifier) @name body: (block)? @body) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name body: (_) @body) @def.constructor
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @def.constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.field
(field_declaration
  (modifiers) @_modifiers
  declarator: (variable_declarator name: (identifier) @name)
  (#match? @_modifiers "static[^(]*final|final[^(]*static")) @def.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant
(enum_constant name: (identifier) @name body: (_)? @body) @def.constant

; Annotations stand in the definition, before its name.
(modifiers [(marker_annotation) (annotation)] @decorator)

; --- calls; `new Foo()` calls Foo ---
(method_invocation object: (_)? @receiver name: (identifier) @callee)
(object_creation_expression type: [
  (type_identifier) @callee
  (generic_type . (type_identifier) @callee)
  (scoped_type_identifier (_) @receiver . (type_identifier) @callee .)
  (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @callee .))])
(explicit_constructor_invocation constructor: [(this) (super)] @callee)

; --- what names stand for ---
(import_declaration (scoped_identifier) @path .)
(import_declaration (scoped_identifier) @path (asterisk) @all)
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @field))
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (identifier) @field)))
(formal_parameter type: (_) @type name: (identifier) @bound)
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @bound))
(enhanced_for_statement type: (_) @type name: (identifier) @bound)
(resource type: (_) @type name: (identifier) @bound)
(catch_formal_parameter (catch_type . (_) @type .) name: (identifier) @bound)
(variable_declarator name: (identifier) @bound value: (object_creation_expression type: (_) @new))
(assignment_expression left: [(identifier) (field_access)] @bound right: (object_creation_expression type: (_) @new))
