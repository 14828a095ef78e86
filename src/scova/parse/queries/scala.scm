; Scala 2 and 3.

(package_clause name: (package_identifier) @package)
(import_declaration) @import
(export_declaration) @import

(annotation) @decorator

; --- types; bases, asked for on their own since options are slow to compile, stand without their type arguments ---
(class_definition) @def.class
(trait_definition) @def.trait
(object_definition) @def.object
(package_object name: (identifier) @name body: (template_body)? @body) @def.object
(enum_definition) @def.enum
(class_definition
  name: (_) @name
  extend: (_ [(type_identifier) @base (stable_type_identifier) @base (tuple_type) @base (generic_type type: (_) @base)])) @scope
(trait_definition
  name: (_) @name
  extend: (_ [(type_identifier) @base (stable_type_identifier) @base (tuple_type) @base (generic_type type: (_) @base)])) @scope
(object_definition
  name: (_) @name
  extend: (_ [(type_identifier) @base (stable_type_identifier) @base (tuple_type) @base (generic_type type: (_) @base)])) @scope
(enum_definition
  name: (_) @name
  extend: (_ [(type_identifier) @base (stable_type_identifier) @base (tuple_type) @base (generic_type type: (_) @base)])) @scope
(simple_enum_case name: (identifier) @name) @def.constant
(full_enum_case name: (identifier) @name) @def.constant
(type_definition name: (type_identifier) @name) @def.type
(given_definition name: (identifier) @name body: (_)? @body) @def.object
(given_definition !name return_type: (_) @name body: (_)? @body) @def.object

; --- functions; `def this` is a constructor ---
(function_definition) @def.function
(function_declaration) @def.function
(function_definition name: (identifier) @name body: (_)? @body (#eq? @name "this")) @def.constructor
; Also where no named type is around: `new Runnable { def run() = … }`.
(template_body
  [(function_definition) (function_declaration)] @def.method)

; Methods of an extension belong to the extended type.
(extension_definition parameters: (parameters . (parameter type: (_) @name))) @scope

; --- values of files, types and packages; locals stand in blocks and are left out ---
(compilation_unit (val_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @def.constant)
(compilation_unit (var_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @def.variable)
(template_body
  (_ pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @def.property)
(with_template_body (val_definition pattern: (identifier) @name) @def.property)
(enum_body (val_definition pattern: (identifier) @name) @def.property)
(val_declaration name: (identifier) @name) @def.property
(var_declaration name: (identifier) @name) @def.property
(class_parameter ["val" "var"] name: (identifier) @name) @def.property

; --- calls; `new A(…)` and `a op b` with a word for an operator are calls, too ---
(call_expression function: (identifier) @callee)
(call_expression function: (_ value: (_) @receiver field: (identifier) @callee))
(call_expression
  function: (_
    function: [(identifier) @callee (_ value: (_) @receiver field: (identifier) @callee)]))
(infix_expression left: (_) @receiver operator: (identifier) @callee)
(instance_expression
  [
    (type_identifier) @callee
    (generic_type type: (type_identifier) @callee)
    (stable_type_identifier (type_identifier) @callee)
    (generic_type type: (stable_type_identifier (type_identifier) @callee))
  ])

; --- what names stand for; selected names stand behind the path before them ---
(import_declaration . path: (_)) @path
(import_declaration (namespace_wildcard) @all) @path
(import_declaration (namespace_selectors) @within) @prefix
(namespace_selectors (identifier) @path)
(namespace_selectors (namespace_wildcard) @path @all)
(namespace_selectors (_ name: (identifier) @path alias: (identifier) @bound))
(class_parameter name: (identifier) @field type: (_) @type)
(parameter name: (identifier) @bound type: (_) @type)
(val_definition pattern: (identifier) @bound type: (_) @type)
(var_definition pattern: (identifier) @bound type: (_) @type)
(template_body (_
  pattern: (identifier) @field
  value: [(_ function: [(identifier) (field_expression)] @maker) (instance_expression . (_) @new)]))
(val_definition
  pattern: (identifier) @bound
  value: [(_ function: [(identifier) (field_expression)] @maker) (instance_expression . (_) @new)])
(var_definition
  pattern: (identifier) @bound
  value: [(_ function: [(identifier) (field_expression)] @maker) (instance_expression . (_) @new)])
