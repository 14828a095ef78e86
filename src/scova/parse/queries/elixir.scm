; Elixir. Every definition is a call of a macro: the macro's name decides. Patterns ask for the shape of the arguments first,
; since each look at a name costs more than a look at the tree. `(_ field: …)` asks for the field only, which compiles several
; times faster than naming the node around it.

; --- modules, protocols, implementations ---
(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_def "defmodule")) @def.module
(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_def "defprotocol")) @def.protocol
(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_def "defimpl")) @def.implementation
; What a module says of itself: its behaviours, and its words.
(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (_
    (_
      operator: "@"
      operand: (_ target: (identifier) @_attribute (_ . [(alias) @base (string) @doc (sigil) @doc]))))
  (#any-of? @_def "defmodule" "defprotocol")
  (#any-of? @_attribute "behaviour" "moduledoc")) @scope

; --- functions and macros: `name(…)`, `name`, `name(…) when …`, `name when …` ---
(call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (_ target: (identifier) @name)
      (_ left: [(identifier) @name (_ target: (identifier) @name)] operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_def "def" "defp" "defdelegate")
  (#not-eq? @name "unquote")) @def.function @clause
(call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (_ target: (identifier) @name)
      (_ left: [(identifier) @name (_ target: (identifier) @name)] operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp")
  (#not-eq? @name "unquote")) @def.macro @clause
; An operator: `def left <~> right`.
(call
  target: (identifier) @_def
  (arguments
    . [
      (_ left: (identifier) operator: _ @name right: (_))
      (_ left: (_ left: (identifier) operator: _ @name) operator: "when")
      (_ operator: _ @name operand: (_))
    ])
  (do_block)? @body
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop")
  (#not-eq? @name "when")
  (#not-eq? @name "\\\\")) @def.function @clause
; `test "…" do` of ExUnit defines a function.
(call
  target: (identifier) @_def
  (arguments . (string . (quoted_content) @name .))
  (do_block) @body
  (#eq? @_def "test")) @def.function

; --- structs have no name but their module's: the macro's own stands for it ---
(call
  target: (identifier) @name
  (arguments . [(list) (keywords) (unary_operator) (identifier)])
  (#any-of? @name "defstruct" "defexception")) @def.struct
(call
  target: (identifier) @_def
  (arguments
    [
      (list (atom) @name @def.field)
      (list (_ (_ key: (keyword) @name) @def.field))
      (keywords (_ key: (keyword) @name) @def.field)
    ])
  (#any-of? @_def "defstruct" "defexception"))

; --- attributes: types, callbacks, constants ---
(unary_operator
  operator: "@"
  operand: (_
    target: (identifier) @_attribute
    (_ . (_ left: [(identifier) @name (_ target: (identifier) @name)] operator: "::")))
  (#any-of? @_attribute "type" "typep" "opaque")) @def.type
(unary_operator
  operator: "@"
  operand: (_
    target: (identifier) @_attribute
    (_
      . [
        (_ left: [(identifier) @name (_ target: (identifier) @name)] operator: "::")
        (_ left: (_ left: (_ target: (identifier) @name) operator: "::") operator: "when")
      ]))
  (#any-of? @_attribute "callback" "macrocallback")) @def.function
(unary_operator
  operator: "@"
  operand: (_ target: (identifier) @name (arguments))
  (#not-match? @name
    "^(moduledoc|doc|typedoc|spec|type|typep|opaque|callback|macrocallback|optional_callbacks|impl|behaviour|enforce_keys|derive|deprecated|since|dialyzer|compile|on_load|on_definition|before_compile|after_compile|after_verify|external_resource|tag|moduletag|describetag)$")) @def.constant

; --- calls ---
(call
  target: (identifier) @callee
  (#not-match? @callee
    "^(def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate|defmodule|defprotocol|defimpl|defstruct|defexception|defoverridable|test|use|import|alias|require|moduledoc|doc|typedoc|spec|type|typep|opaque|callback|macrocallback|optional_callbacks|impl|behaviour|enforce_keys|derive|deprecated|tag|moduletag)$"))
; Without brackets `Module.name` is a call and `value.name` a field.
(call target: (dot left: (alias) @receiver right: (identifier) @callee))
(call
  target: (dot
    left: [(identifier) (call) (atom) (dot) (access_call) (unary_operator) (block)] @receiver
    right: (identifier) @callee)
  (arguments))
; `value |> function` without brackets.
(binary_operator operator: "|>" right: (identifier) @callee)

; An attribute's name is no call, and neither is anything in a type specification.
(unary_operator operator: "@" operand: (_ target: (identifier) @ignore))
(unary_operator
  operator: "@"
  operand: (_ target: (identifier) @_attribute)
  (#any-of? @_attribute "spec" "type" "typep" "opaque" "callback" "macrocallback")) @ignore

; --- what stands above a function: its doc, and attributes that say something about it ---
(unary_operator
  operator: "@"
  operand: (_ target: (identifier) @_attribute (_ . [(string) (sigil)] @doc))
  (#any-of? @_attribute "doc" "typedoc"))
(unary_operator
  operator: "@"
  operand: (_ target: (identifier) @_attribute)
  (#any-of? @_attribute "spec" "impl" "deprecated" "tag")) @decorator

; --- imports ---
(call
  target: (identifier) @_import
  (arguments . [(alias) (dot) (identifier) (atom)])
  (#any-of? @_import "use" "import" "alias" "require")) @import

; --- what names stand for ---
(call
  target: (identifier) @_import
  (arguments . (alias) @path .)
  (#eq? @_import "alias"))
(call
  target: (identifier) @_import
  (arguments . (alias) @path (keywords (_ key: (keyword) @_as value: (alias) @bound)))
  (#eq? @_import "alias"))
(call
  target: (identifier) @_import
  (arguments . (dot left: (alias) @prefix right: (tuple) @within))
  (#eq? @_import "alias"))
(call
  target: (identifier) @_import
  (arguments . (dot right: (tuple (alias) @path)))
  (#eq? @_import "alias"))
(call
  target: (identifier) @_import
  (arguments . (alias) @path @all)
  (#any-of? @_import "import" "use"))
