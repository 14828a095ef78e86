(package_clause (package_identifier) @package)
(import_spec) @import

; --- functions ---
(function_declaration name: (identifier) @name body: (block)? @body) @def.function
; A method's parent is its receiver's type, pointer and type parameters left out.
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @parent
    (generic_type type: (type_identifier) @parent)
    (pointer_type (type_identifier) @parent)
    (pointer_type (generic_type type: (type_identifier) @parent))]))
  name: (field_identifier) @name
  body: (block)? @body) @def.method
; Functions held by a name, at any depth.
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal body: (block) @body) .)) @def.function
(var_spec . name: (identifier) @name value: (expression_list . (func_literal body: (block) @body) .)) @def.function

; --- types; what is embedded is a base. Alone in its declaration, a type begins at the keyword `type` ---
(type_declaration . (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) .) @def.struct
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec name: (_) @name type: (struct_type (field_declaration_list (field_declaration !name
  type: [(type_identifier) @base (qualified_type) @base (generic_type type: (_) @base)])))) @def.struct
(type_declaration . (type_spec name: (_) @name type: (interface_type "{" @body)) .) @def.interface
(type_spec name: (_) @name type: (interface_type "{" @body)) @def.interface
(type_spec name: (_) @name type: (interface_type (type_elem . [(type_identifier) @base (qualified_type) @base] .))) @def.interface
(type_declaration . (type_spec name: (_) @name) .) @def.type
(type_spec name: (_) @name) @def.type
(type_declaration . (type_alias name: (_) @name) .) @def.type
(type_alias name: (_) @name) @def.type
(field_declaration name: (field_identifier) @name) @def.field
(method_elem name: (_) @name) @def.method

; --- names of the package ---
(source_file (var_declaration (var_spec name: (identifier) @name)) @def.variable)
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.variable)))
(source_file (const_declaration . (const_spec name: (identifier) @name) .) @def.constant)
(source_file (const_declaration (const_spec name: (identifier) @name) @def.constant))

; --- calls; `Foo{}` makes a Foo ---
(call_expression function: (identifier) @callee)
(call_expression function: (selector_expression operand: (_) @receiver field: (_) @callee))
; An explicit type argument reads like an index, or a conversion.
(call_expression function: (index_expression operand: [
  (identifier) @callee
  (selector_expression operand: (_) @receiver field: (_) @callee)]))
(type_conversion_expression type: (generic_type type: [
  (type_identifier) @callee
  (qualified_type package: (_) @receiver name: (_) @callee)]))
(composite_literal type: [
  (type_identifier) @callee
  (generic_type type: (type_identifier) @callee)
  (qualified_type package: (_) @receiver name: (_) @callee)])

; --- what names stand for ---
(import_spec !name path: (_) @module)
(import_spec name: (package_identifier) @bound path: (_) @module)
(import_spec name: (dot) @all path: (_) @module)
(parameter_declaration name: (identifier) @bound type: (_) @type)
(var_spec name: (identifier) @bound type: (_) @type)
(short_var_declaration
  left: (expression_list . (identifier) @bound .)
  right: (expression_list . [
    (composite_literal type: (_) @new)
    (unary_expression operand: (composite_literal type: (_) @new))] .))
(assignment_statement
  left: (expression_list . [(identifier) (selector_expression)] @bound .)
  right: (expression_list . [
    (composite_literal type: (_) @new)
    (unary_expression operand: (composite_literal type: (_) @new))] .))
(var_spec
  name: (identifier) @bound
  value: (expression_list . [
    (composite_literal type: (_) @new)
    (unary_expression operand: (composite_literal type: (_) @new))] .))
(short_var_declaration
  left: (expression_list . (identifier) @bound .)
  right: (expression_list . (call_expression
    function: (identifier) @_new
    arguments: (argument_list . [(type_identifier) (identifier) (qualified_type) (selector_expression)] @new .)) .)
  (#eq? @_new "new"))
