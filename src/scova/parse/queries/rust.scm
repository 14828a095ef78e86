; --- functions; in an impl or a trait they are methods ---
(function_item name: (identifier) @name body: (block) @body) @def.function
(function_signature_item name: (identifier) @name) @def.function
(let_declaration pattern: (identifier) @name value: (closure_expression body: (_) @body)) @def.function
(macro_definition name: (identifier) @name) @def.macro

; --- types ---
(struct_item name: (type_identifier) @name body: (field_declaration_list)? @body) @def.struct
(enum_item name: (type_identifier) @name body: (_) @body) @def.enum
(union_item name: (type_identifier) @name body: (_) @body) @def.union
(trait_item name: (type_identifier) @name body: (_) @body) @def.trait
(trait_item name: (type_identifier) @name bounds: (trait_bounds
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)])) @def.trait
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
(field_declaration name: (field_identifier) @name) @def.field
(enum_variant name: (identifier) @name body: (field_declaration_list)? @body) @def.constant
(mod_item name: (identifier) @name body: (_)? @body) @def.module
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.variable

; `impl Trait for Type` gives its methods to Type, and Trait to Type's bases.
(impl_item
  trait: [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)]?
  type: [
    (type_identifier) @name
    (primitive_type) @name
    (scoped_type_identifier name: (_) @name)
    (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (_) @name)])
    (reference_type type: [(type_identifier) @name (generic_type type: (type_identifier) @name)])
    (dynamic_type trait: [(type_identifier) @name (generic_type type: (type_identifier) @name)])
  ]) @scope

; Attributes stand beside what they decorate.
(attribute_item) @decorator

; --- calls: functions, methods, paths, each also with `::<T>` ---
(call_expression function: [
  (identifier) @callee
  (field_expression value: (_) @receiver field: (field_identifier) @callee)
  (scoped_identifier path: (_)? @receiver name: (identifier) @callee)
  (generic_function function: [
    (identifier) @callee
    (field_expression value: (_) @receiver field: (field_identifier) @callee)
    (scoped_identifier path: (_)? @receiver name: (identifier) @callee)])
])
(struct_expression name: [
  (type_identifier) @callee
  (scoped_type_identifier path: (_)? @receiver name: (_) @callee)
  (generic_type type: (type_identifier) @callee)
  (generic_type_with_turbofish type: (type_identifier) @callee)])
(macro_invocation macro: [(identifier) @callee (scoped_identifier path: (_)? @receiver name: (identifier) @callee)])
; What stands in a macro's arguments is not parsed: a name before parentheses is taken for a call.
(token_tree (identifier) @callee . (token_tree . "("))

(use_declaration) @import
(extern_crate_declaration) @import

; --- what names stand for; a list's names stand behind the path before it ---
(use_declaration argument: [(identifier) (scoped_identifier)] @path)
(use_list [(identifier) (scoped_identifier) (self)] @path)
(use_as_clause path: (_) @path alias: (identifier) @bound)
(use_wildcard (_) @path "*" @all)
(scoped_use_list path: (_) @prefix list: (_) @within)
(parameter pattern: (identifier) @bound type: (_) @type)
(let_declaration pattern: (identifier) @bound type: (_) @type)
(const_item name: (identifier) @bound type: (_) @type)
(static_item name: (identifier) @bound type: (_) @type)
(let_declaration pattern: (identifier) @bound value: (struct_expression name: (_) @new))
; By custom these functions of a type make one of it.
(let_declaration
  pattern: (identifier) @bound
  value: (call_expression function: (scoped_identifier path: (_) @maker name: (identifier) @_new))
  (#match? @_new "^(new|default|from|with_[a-z_]+)$"))
