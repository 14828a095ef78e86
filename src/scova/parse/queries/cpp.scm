; inherits: cfamily
; --- in a class: a function without a type is its constructor; declared only, it still belongs to the outline ---
(field_declaration_list (function_definition !type declarator: (_) @declarator body: (_)? @body) @def.constructor)
(field_declaration_list (declaration !type declarator: (_) @declarator) @def.constructor)
(field_declaration_list (template_declaration (declaration type: (_) declarator: (_) @declarator) @def.field))
; The signature ends before the initialisers.
(function_definition declarator: (_) @declarator (field_initializer_list) @body) @def.function

; A lambda held by a name.
(declaration declarator: (_
  declarator: (identifier) @name
  value: (lambda_expression body: (_) @body))) @def.function

; `template <…>` stands around what it makes general.
(template_declaration [
  (function_definition) (class_specifier) (struct_specifier) (declaration) (alias_declaration) (concept_definition)
] @inner) @outer
(template_declaration (declaration type: (_) declarator: (_) @declarator) @def.variable)

; --- types ---
(class_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_) @body) @def.class
(class_specifier name: (template_type name: (_) @name) body: (_) @body) @def.class
(struct_specifier name: (template_type name: (_) @name) body: (_) @body) @def.struct
(class_specifier
  name: [(type_identifier) @name (template_type name: (_) @name)]
  (base_class_clause [(type_identifier) @base (qualified_identifier) @base (template_type name: (_) @base)])
  body: (_) @body) @def.class
(struct_specifier
  name: [(type_identifier) @name (template_type name: (_) @name)]
  (base_class_clause [(type_identifier) @base (qualified_identifier) @base (template_type name: (_) @base)])
  body: (_) @body) @def.struct
(alias_declaration name: (type_identifier) @name) @def.type
(concept_definition name: (identifier) @name) @def.type
(namespace_definition name: (_) @name body: (_) @body) @def.namespace

; `[[nodiscard]]`
(attribute_declaration) @decorator

; --- calls: plain, of a member, of a path, each also with template arguments; `new Foo`, `Foo x(…)` and `Foo{…}` call Foo ---
(call_expression function: [
  (identifier) @callee
  (template_function name: (identifier) @callee)
  (_ argument: (_) @receiver field: [(field_identifier) @callee (template_method name: (_) @callee)])
  (_ scope: (_) @receiver name: [
    (identifier) @callee
    (template_function name: (_) @callee)
    (_ scope: (_) @receiver name: [
      (identifier) @callee
      (template_function name: (_) @callee)
      (_ scope: (_) @receiver name: [(identifier) @callee (template_function name: (_) @callee)])])])
  (parenthesized_expression (pointer_expression argument: (identifier) @callee))
])
(new_expression type: [
  (type_identifier) @callee
  (template_type name: (_) @callee)
  (_ scope: (_) @receiver name: [(type_identifier) @callee (template_type name: (_) @callee)])])
(compound_literal_expression type: [(type_identifier) @callee (template_type name: (_) @callee)])
(declaration
  type: [
    (type_identifier) @callee
    (template_type name: (_) @callee)
    (_ scope: (_) @receiver name: [(type_identifier) @callee (template_type name: (_) @callee)])]
  declarator: (_ value: [(argument_list) (initializer_list)]))

(using_declaration) @import

; --- what names stand for ---
(using_declaration (qualified_identifier) @path)
(using_declaration "namespace" [(identifier) (qualified_identifier)] @path @all)
(parameter_declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: (_) @declared)
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: (_) @declared)
(declaration declarator: (_ declarator: (_) @declared value: (new_expression type: (_) @new)))
(assignment_expression left: [(identifier) (field_expression)] @bound right: (new_expression type: (_) @new))
