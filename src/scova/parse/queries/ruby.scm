; Ruby. Bare words (`notify`) parse as identifiers, not calls: only what the grammar calls a call is one here.

; --- classes and modules; `class A::B` has the parent A without being nested in it ---
(class name: (constant) @name superclass: (superclass (_) @base)? body: (body_statement)? @body) @def.class
(class
  name: (scope_resolution scope: (_)? @parent name: (constant) @name)
  superclass: (superclass (_) @base)?
  body: (body_statement)? @body) @def.class
(module name: (constant) @name body: (body_statement)? @body) @def.module
(module
  name: (scope_resolution scope: (_)? @parent name: (constant) @name)
  body: (body_statement)? @body) @def.module

; `include`, `extend` and `prepend` in the body are bases as much as the superclass is.
(class
  name: [(constant) @name (_ name: (constant) @name)]
  body: (_ (_ !receiver method: (identifier) @_mixin arguments: (_ [(constant) (scope_resolution)] @base)))
  (#any-of? @_mixin "include" "extend" "prepend")) @def.class
(module
  name: [(constant) @name (_ name: (constant) @name)]
  body: (_ (_ !receiver method: (identifier) @_mixin arguments: (_ [(constant) (scope_resolution)] @base)))
  (#any-of? @_mixin "include" "extend" "prepend")) @def.module

; --- methods ---
(method name: (_) @name body: (_)? @body) @def.method
(singleton_method object: (self) name: (_) @name body: (_)? @body) @def.method
(singleton_method object: [(constant) (identifier) (scope_resolution)] @parent name: (_) @name body: (_)? @body) @def.method
(alias name: [(identifier) (operator) (setter) (simple_symbol)] @name) @def.method

; Macros that define methods: the names are symbols or strings.
(call
  !receiver
  method: (identifier) @_macro
  arguments: (_ . [(simple_symbol) @name (_ (string_content) @name)])
  block: [(block) (do_block)]? @body
  (#any-of? @_macro "define_method" "alias_method" "define_singleton_method")) @def.method
(call
  !receiver
  method: (identifier) @_macro
  arguments: (_ [(simple_symbol) @name (_ (string_content) @name)])
  (#any-of? @_macro
    "attr_reader" "attr_writer" "attr_accessor" "attr" "cattr_accessor" "cattr_reader" "cattr_writer" "mattr_accessor"
    "mattr_reader" "mattr_writer" "class_attribute" "thread_mattr_accessor" "attr_internal")) @def.property
; `test "…" do` of ActiveSupport defines a method, too.
(call
  !receiver
  method: (identifier) @_macro
  arguments: (_ . (string (string_content) @name))
  block: (do_block) @body
  (#eq? @_macro "test")) @def.method

; --- constants; `Point = Struct.new(…)` and `Failure = Class.new(…)` are classes ---
(assignment
  left: (constant) @name
  right: (_
    receiver: (constant) @_maker
    method: (identifier) @_new
    arguments: (_ [(constant) (scope_resolution)] @base)?
    block: [(block) (do_block)]? @body)
  (#any-of? @_maker "Struct" "Class" "Module" "Data")
  (#any-of? @_new "new" "define")) @def.class
(assignment
  left: [(constant) @name (scope_resolution scope: (_) @parent name: (constant) @name)]
  right: (_) @_value
  (#not-match? @_value "^(Struct|Class|Module)\\.new\\b|^Data\\.define\\b")) @def.constant
(assignment left: (left_assignment_list (constant) @name)) @def.constant
(operator_assignment left: (constant) @name) @def.constant

; --- calls; what defines, imports or only sets the visibility is none ---
(call
  receiver: (_) @receiver
  method: [(identifier) (constant)] @callee)
(call
  !receiver
  method: [(identifier) (constant)] @callee
  (#not-match? @callee
    "^(require|require_relative|autoload|load|private|public|protected|module_function|test|alias_method|define_(singleton_)?method|class_attribute|[cm]?attr(_internal)?(_(reader|writer|accessor))?|thread_mattr_accessor)$"))

; --- imports ---
(call
  !receiver
  method: (identifier) @_import
  arguments: _
  (#any-of? @_import "require" "require_relative" "autoload" "load")) @import

; --- what names stand for ---
(assignment
  left: [(identifier) (instance_variable) (constant)] @bound
  right: (call receiver: [(constant) (scope_resolution)] @maker method: (identifier) @_new)
  (#eq? @_new "new"))
