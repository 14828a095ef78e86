; Haskell. A signature and the equations after it share a name and are clauses of one definition. A signature of several
; names at file level is left out: their equations follow. `(_ field: …)` asks for the field only, which compiles several
; times faster than naming the node around it.

(header module: (module) @package)
(import) @import

; --- types ---
(data_type name: (_) @name) @def.type
(data_type (_ operator: (_) @name)) @def.type
(newtype name: (_) @name) @def.type
(type_synonym name: (_) @name) @def.type
(type_family name: (_) @name) @def.type
(data_family name: (_) @name) @def.type
(class name: (_) @name) @def.class

; --- constructors and record fields ---
(data_constructor constructor: (_ [name: (_) @name operator: (_) @name])) @def.constructor
(newtype_constructor name: (_) @name) @def.constructor
(gadt_constructor [name: (_) @name names: (binding_list name: (_) @name)]) @def.constructor
(field name: (field_name (variable) @name)) @def.field

; An instance defines nothing itself: its methods belong to the type, and the class is the type's base.
(instance
  name: (_) @base
  patterns: (type_patterns
    . [
      (name) @name
      (_ id: (name) @name)
      (parens type: (_ constructor: [(name) @name (_ id: (name) @name)]))
      (parens type: (_ constructor: (_ constructor: [(name) @name (_ id: (name) @name)])))
      (parens type: (_ constructor: (_ constructor: (_ constructor: [(name) @name (_ id: (name) @name)]))))
      (parens type: [(infix) (function)] @name)
      (list) @name
      (tuple) @name
      (unit) @name
      (variable) @name
    ])) @scope

; --- functions of the file and local ones; a name bound without parameters is a function at file level only ---
(function name: [(variable) @name (prefix_id (operator) @name)]) @def.function @clause
(function (_ operator: [(operator) @name (infix_id (variable) @name)])) @def.function @clause
(function parens: (_ (_ operator: [(operator) @name (infix_id (variable) @name)]))) @def.function @clause
(declarations (_ name: [(variable) @name (prefix_id (operator) @name)]) @def.function @clause)
(foreign_import signature: (signature name: (variable) @name)) @def.function
(pattern_synonym (_ synonym: [(constructor) @name (_ function: (constructor) @name)])) @def.constructor @clause

; --- methods of classes and instances ---
(class_declarations (_ name: [(variable) @name (prefix_id (operator) @name)]) @def.method @clause)
(class_declarations
  (signature names: (binding_list name: [(variable) @name (prefix_id (operator) @name)])) @def.method)
(instance_declarations (_ name: [(variable) @name (prefix_id (operator) @name)]) @def.method @clause)

; --- calls: application to an argument, by an operator, in backquotes, or as a statement ---
(apply function: (variable) @callee)
(apply function: (_ module: (_ (module_id) @receiver .) id: (variable) @callee))
(infix
  left_operand: [(variable) @callee (_ module: (_ (module_id) @receiver .) id: (variable) @callee)]
  operator: (operator) @_operator
  (#any-of? @_operator "$" "$!" "<$>" "." "=<<"))
(infix
  operator: (operator) @_operator
  right_operand: [(variable) @callee (_ module: (_ (module_id) @receiver .) id: (variable) @callee)]
  (#any-of? @_operator "." ">>=" "<&>" "&"))
(infix
  operator: (infix_id [(variable) @callee (_ module: (_ (module_id) @receiver .) id: (variable) @callee)]))
(exp . [(variable) @callee (_ module: (_ (module_id) @receiver .) id: (variable) @callee)] .)

; --- what names stand for ---
(import module: (_) @module alias: (_) @bound)
(import module: (_) @module !alias !names) @all
(import module: (_) @module names: (import_list name: (import_name type: (_) @member)))
(import module: (_) @module names: (import_list name: (import_name variable: (_) @member)))
