; Kotlin.

(package_header (qualified_identifier) @package)
(import) @import

(modifiers (annotation) @decorator)

; --- types: one grammar node for class, interface, enum and annotation ---
(class_declaration
  (modifiers)? @_modifiers
  "class"
  name: (identifier) @name
  (class_body)? @body
  (#not-match? @_modifiers "\\benum\\b")) @def.class
(class_declaration
  (modifiers) @_modifiers
  "class"
  name: (identifier) @name
  (enum_class_body)? @body
  (#match? @_modifiers "\\benum\\b")) @def.enum
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @def.interface
(object_declaration name: (identifier) @name (class_body)? @body) @def.object
(companion_object name: (identifier) @name (class_body)? @body) @def.object
; A nameless companion is known by its keyword.
(companion_object !name "companion" @name (class_body)? @body) @def.object
; Bases stand without their type arguments: `Base<T>`, `Base(…)`, `Base by other`.
(class_declaration
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type (identifier) @base .)
        (user_type (identifier) @base . (type_arguments) .)
        (_ . (user_type (identifier) @base .))
        (_ . (user_type (identifier) @base . (type_arguments) .))
      ]))) @scope
(object_declaration
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type (identifier) @base .)
        (user_type (identifier) @base . (type_arguments) .)
        (_ . (user_type (identifier) @base .))
        (_ . (user_type (identifier) @base . (type_arguments) .))
      ]))) @scope
(companion_object
  name: (identifier) @name
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type (identifier) @base .)
        (user_type (identifier) @base . (type_arguments) .)
        (_ . (user_type (identifier) @base .))
        (_ . (user_type (identifier) @base . (type_arguments) .))
      ]))) @scope
(companion_object
  !name
  "companion" @name
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type (identifier) @base .)
        (user_type (identifier) @base . (type_arguments) .)
        (_ . (user_type (identifier) @base .))
        (_ . (user_type (identifier) @base . (type_arguments) .))
      ]))) @scope
(type_alias type: (identifier) @name) @def.type
(enum_entry (identifier) @name (class_body)? @body) @def.constant

; --- functions; an extension belongs to its receiver's type ---
(function_declaration
  (([
    (user_type (identifier) @parent .)
    (user_type (identifier) @parent . (type_arguments) .)
    (nullable_type (user_type (identifier) @parent .))
    (nullable_type (user_type (identifier) @parent . (type_arguments) .))
    (parenthesized_type) @parent
  ]) ".")?
  name: (identifier) @name
  (function_body)? @body) @def.function
; Also where no named class is around: entries of an enum, anonymous objects.
(class_body (function_declaration name: (identifier) @name) @def.method)
(secondary_constructor "constructor" @name (block)? @body) @def.constructor

; --- properties of files, classes and objects; locals stand in blocks and are left out ---
(source_file
  (property_declaration
    (modifiers)? @_modifiers
    ["val" "var"]
    (([
      (user_type (identifier) @parent .)
      (user_type (identifier) @parent . (type_arguments) .)
      (nullable_type (user_type (identifier) @parent .))
      (nullable_type (user_type (identifier) @parent . (type_arguments) .))
    ]) ".")?
    (variable_declaration . (identifier) @name)
    (#not-match? @_modifiers "\\bconst\\b")) @def.property)
(class_body
  (property_declaration
    (modifiers)? @_modifiers
    (([
      (user_type (identifier) @parent .)
      (user_type (identifier) @parent . (type_arguments) .)
      (nullable_type (user_type (identifier) @parent .))
      (nullable_type (user_type (identifier) @parent . (type_arguments) .))
    ]) ".")?
    (variable_declaration . (identifier) @name)
    (#not-match? @_modifiers "\\bconst\\b")) @def.property)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @def.property)
(property_declaration
  (modifiers (property_modifier) @_const)
  (variable_declaration . (identifier) @name)
  (#eq? @_const "const")) @def.constant
; A parameter of the primary constructor with `val` or `var` is a property.
(class_parameter ["val" "var"] . (identifier) @name) @def.property

; The grammar gives up on a few constructs and leaves their outer declarations in pieces: at least the names are kept.
(ERROR ["class" "interface"] . (identifier) @name @def.class)
(ERROR "object" . (identifier) @name @def.object)
(ERROR "fun" . (identifier) @name @def.function)

; --- calls ---
(call_expression . (identifier) @callee)
(call_expression . (navigation_expression (_) @receiver (identifier) @callee .))
(infix_expression . (_) @receiver (identifier) @callee . (_) .)

; --- what names stand for ---
(import (qualified_identifier) @path .)
(import (qualified_identifier) @path "as" (identifier) @bound)
(import (qualified_identifier) @path "*" @all)
(class_parameter ["val" "var"] . (identifier) @field . [(user_type) (nullable_type)] @type)
(parameter . (identifier) @bound . [(user_type) (nullable_type)] @type)
(variable_declaration . (identifier) @bound . [(user_type) (nullable_type)] @type)
(class_body (property_declaration (variable_declaration . (identifier) @field . [(user_type) (nullable_type)] @type)))
(class_body (property_declaration
  (variable_declaration . (identifier) @field)
  (call_expression . [(identifier) (navigation_expression)] @maker)))
(property_declaration
  (variable_declaration . (identifier) @bound)
  (call_expression . [(identifier) (navigation_expression)] @maker))
(assignment
  left: [(identifier) (navigation_expression)] @bound
  right: (call_expression . [(identifier) (navigation_expression)] @maker))
(function_declaration
  name: (identifier) @returning
  (function_value_parameters) . [(user_type) (nullable_type)] @type)
