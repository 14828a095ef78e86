; What C and C++ have in common. Not a language: c.scm and cpp.scm begin with it.

; --- functions. A declaration without a body defines nothing, but in a header it carries the documentation: where a
; variable's declarator turns out to declare a function, the definition becomes a `prototype` ---
(function_definition declarator: (_) @declarator body: (_)? @body) @def.function
(preproc_function_def name: (identifier) @name value: (_)? @body) @def.macro
; A name defined as nothing is a switch, unless it guards a header.
((preproc_def name: (identifier) @name) @def.constant (#not-match? @name "_(H|HH|HPP|HXX|INCLUDED)_*$"))

; --- types: only where they have a body; elsewhere the name is used, not defined ---
(struct_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.union
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(enumerator name: (identifier) @name) @def.constant
(field_declaration declarator: (_) @declarator) @def.field

; `typedef struct tag {…} name;` defines both over one range; what stands inside belongs to the first.
(type_definition type: (struct_specifier name: (type_identifier) @name body: (_) @body)) @def.struct
(type_definition type: (union_specifier name: (type_identifier) @name body: (_) @body)) @def.union
(type_definition type: (enum_specifier name: (type_identifier) @name body: (_) @body)) @def.enum
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.union
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum
(type_definition declarator: (_) @declarator) @def.type

; --- names of the file, also under #if ---
(translation_unit (declaration declarator: (_) @declarator) @def.variable)
(preproc_ifdef (declaration declarator: (_) @declarator) @def.variable)
(preproc_if (declaration declarator: (_) @declarator) @def.variable)
(preproc_else (declaration declarator: (_) @declarator) @def.variable)
(declaration_list (declaration declarator: (_) @declarator) @def.variable)
(translation_unit
  (declaration (type_qualifier) @_qualifier declarator: (_) @declarator (#match? @_qualifier "^const")) @def.constant)
(declaration_list
  (declaration (type_qualifier) @_qualifier declarator: (_) @declarator (#match? @_qualifier "^const")) @def.constant)

(preproc_include) @import
