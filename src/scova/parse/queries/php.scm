; PHP.

(namespace_definition name: (namespace_name) @package)

; --- types ---
(class_declaration
  attributes: (attribute_list (attribute_group)* @decorator)?
  name: (name) @name
  (base_clause (_) @base)?
  (class_interface_clause (_) @base ("," (_) @base)*)?
  body: (declaration_list) @body) @def.class
(interface_declaration
  attributes: (attribute_list (attribute_group)* @decorator)?
  name: (name) @name
  (base_clause (_) @base ("," (_) @base)*)?
  body: (declaration_list) @body) @def.interface
(trait_declaration
  attributes: (attribute_list (attribute_group)* @decorator)?
  name: (name) @name
  body: (declaration_list) @body) @def.trait
(enum_declaration
  attributes: (attribute_list (attribute_group)* @decorator)?
  name: (name) @name
  (class_interface_clause (_) @base ("," (_) @base)*)?
  body: (enum_declaration_list) @body) @def.enum

; A trait taken in with `use` inside the body is a base as much as a parent class is.
(class_declaration
  name: (name) @name
  body: (declaration_list (use_declaration [(name) (qualified_name)] @base))) @def.class
(trait_declaration
  name: (name) @name
  body: (declaration_list (use_declaration [(name) (qualified_name)] @base))) @def.trait
(enum_declaration
  name: (name) @name
  body: (enum_declaration_list (use_declaration [(name) (qualified_name)] @base))) @def.enum

; --- functions and methods ---
(function_definition
  attributes: (attribute_list (attribute_group)* @decorator)?
  name: (name) @name
  body: (compound_statement) @body) @def.function
(method_declaration
  attributes: (attribute_list (attribute_group)* @decorator)?
  name: (name) @name
  body: (compound_statement)? @body) @def.method
(method_declaration
  attributes: (attribute_list (attribute_group)* @decorator)?
  name: (name) @name
  body: (compound_statement)? @body
  (#eq? @name "__construct")) @def.constructor

; A closure with a name: `$convert = function (…) {…}`.
(assignment_expression
  left: (variable_name (name) @name)
  right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]) @def.function

; --- properties and constants; a promoted constructor parameter is a property ---
(property_declaration (property_element name: (variable_name (name) @name))) @def.property
(property_promotion_parameter name: (variable_name (name) @name)) @def.property
(const_declaration (const_element . (name) @name)) @def.constant
(enum_case name: (name) @name) @def.constant
(program
  (expression_statement
    (function_call_expression
      function: (name) @_define
      arguments: (arguments . (argument (string (string_content) @name))))
    (#eq? @_define "define")) @def.constant)

; --- calls ---
(function_call_expression
  function: [
    (name) @callee
    (qualified_name (name) @callee)
  ])
(member_call_expression object: (_) @receiver name: (name) @callee)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @callee)
(scoped_call_expression scope: (_) @receiver name: (name) @callee)
(object_creation_expression
  [
    (name) @callee
    (qualified_name (name) @callee)
  ])

; --- imports ---
(namespace_use_declaration) @import
; Only as a statement; asked the other way round, every statement would be looked into.
[(include_expression) (include_once_expression) (require_expression) (require_once_expression)] @import.statement

; --- what names stand for; a group's names stand behind the path before it ---
(namespace_use_clause . [(name) (qualified_name)] @path .)
(namespace_use_clause . "function" [(name) (qualified_name)] @path .)
(namespace_use_clause [(name) (qualified_name)] @path alias: (name) @bound)
(namespace_use_declaration (namespace_name) @prefix body: (_) @within)
(property_declaration type: (_) @type (property_element name: (variable_name) @field))
(property_promotion_parameter type: (_) @type name: (variable_name) @field)
(simple_parameter type: (_) @type name: (variable_name) @bound)
(catch_clause type: (type_list . (_) @type .) name: (variable_name) @bound)
(assignment_expression
  left: [(variable_name) (member_access_expression)] @bound
  right: (object_creation_expression [(name) (qualified_name)] @new))
