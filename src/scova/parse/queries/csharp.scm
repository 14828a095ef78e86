; A namespace is to C# what a package is to Java; it may or may not enclose the file, so it takes no part in names.
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(using_directive) @import

; --- types ---
(class_declaration) @def.class
(record_declaration) @def.class
(struct_declaration) @def.struct
(interface_declaration) @def.interface
(enum_declaration) @def.enum
(delegate_declaration) @def.type

; Bases: each gives a match of its own, joined by the type's name. Type arguments are left out.
(class_declaration name: (_) @name (base_list
  [(identifier) @base (qualified_name) @base (generic_name . (_) @base) (primary_constructor_base_type type: (_) @base)])) @def.class
(record_declaration name: (_) @name (base_list
  [(identifier) @base (qualified_name) @base (generic_name . (_) @base) (primary_constructor_base_type type: (_) @base)])) @def.class
(struct_declaration name: (_) @name (base_list
  [(identifier) @base (qualified_name) @base (generic_name . (_) @base)])) @def.struct
(interface_declaration name: (_) @name (base_list
  [(identifier) @base (qualified_name) @base (generic_name . (_) @base)])) @def.interface

; --- members; an operator is called by its sign, a conversion by its keyword, an indexer `this` ---
(method_declaration) @def.method
(local_function_statement) @def.function
(constructor_declaration name: (identifier) @name [(constructor_initializer) (block) (arrow_expression_clause)] @body) @def.constructor
(destructor_declaration) @def.method
(operator_declaration operator: _ @name body: (_)? @body) @def.method
(conversion_operator_declaration ["implicit" "explicit"] @name body: (_)? @body) @def.method
(property_declaration name: (identifier) @name [(accessor_list) (arrow_expression_clause)] @body) @def.property
(indexer_declaration "this" @name [(accessor_list) (arrow_expression_clause)] @body) @def.property
(event_declaration name: (identifier) @name) @def.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(field_declaration (modifier) @_modifier (variable_declaration (variable_declarator name: (identifier) @name))
  (#eq? @_modifier "const")) @def.constant
(field_declaration (modifier) @_static (modifier) @_readonly (variable_declaration (variable_declarator name: (identifier) @name))
  (#eq? @_static "static") (#eq? @_readonly "readonly")) @def.constant
(enum_member_declaration) @def.constant

; Attributes stand in the definition, before its name.
(attribute_list) @decorator

; --- calls; `new Foo()` calls Foo ---
(invocation_expression function: [
  (identifier) @callee
  (generic_name . (identifier) @callee)
  (member_access_expression expression: _ @receiver name: [(identifier) @callee (generic_name . (identifier) @callee)])
  (conditional_access_expression
    condition: (_) @receiver
    (member_binding_expression name: [(identifier) @callee (generic_name . (identifier) @callee)]))
])
(object_creation_expression type: [
  (identifier) @callee
  (generic_name . (identifier) @callee)
  (qualified_name qualifier: (_) @receiver name: [(identifier) @callee (generic_name . (identifier) @callee)])])
(constructor_initializer ["base" "this"] @callee)

; --- what names stand for; a namespace in use gives all its names ---
(using_directive !name [(identifier) (qualified_name)] @path @all)
(using_directive name: (identifier) @bound [(identifier) (qualified_name)] @path .)
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (identifier) @field)))
(record_declaration (parameter_list (parameter type: (_) @type name: (identifier) @field)))
(class_declaration (parameter_list (parameter type: (_) @type name: (identifier) @field)))
(local_function_statement type: (_) @type name: (identifier) @returning)
(parameter type: (_) @type name: (identifier) @bound)
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @bound))
(foreach_statement type: (_) @type left: (identifier) @bound)
(catch_declaration type: (_) @type name: (identifier) @bound)
(declaration_pattern type: (_) @type name: (identifier) @bound)
(variable_declarator name: (identifier) @bound (object_creation_expression type: (_) @new))
(assignment_expression
  left: [(identifier) (member_access_expression)] @bound
  right: (object_creation_expression type: (_) @new))
