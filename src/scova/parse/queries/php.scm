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
  body: (compound_statement)? @body
  (#not-eq? @name "__construct")) @def.method
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
  ]) @call
(member_call_expression object: (_) @receiver name: (name) @callee) @call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @callee) @call
(scoped_call_expression scope: (_) @receiver name: (name) @callee) @call
(object_creation_expression
  [
    (name) @callee
    (qualified_name (name) @callee)
  ]) @call

; --- imports ---
(namespace_use_declaration) @import
(expression_statement
  [
    (include_expression)
    (include_once_expression)
    (require_expression)
    (require_once_expression)
  ] @import)
