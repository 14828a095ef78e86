; Elixir. Every definition is a call of a macro: the macro's name decides. Patterns ask for the shape of the arguments first,
; since each look at a name costs more than a look at the tree.

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
(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block
    (unary_operator
      operator: "@"
      operand: (call target: (identifier) @_attribute (arguments . (alias) @base))))
  (#eq? @_def "defmodule")
  (#eq? @_attribute "behaviour")) @def.module
(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block
    (unary_operator
      operator: "@"
      operand: (call
        target: (identifier) @_attribute
        (arguments . [(string) (sigil)] @doc))))
  (#any-of? @_def "defmodule" "defprotocol")
  (#eq? @_attribute "moduledoc")) @def.module

; --- functions and macros: `name(…)`, `name`, `name(…) when …`, `name when …` ---
(call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_def "def" "defp" "defdelegate")
  (#not-eq? @name "unquote")) @def.function @clause
(call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "when")
    ])
  (do_block)? @body
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp")
  (#not-eq? @name "unquote")) @def.macro @clause
; An operator: `def left <~> right`.
(call
  target: (identifier) @_def
  (arguments
    . [
      (binary_operator left: (identifier) operator: _ @name right: (_))
      (binary_operator left: (binary_operator left: (identifier) operator: _ @name) operator: "when")
      (unary_operator operator: _ @name)
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
      (list (keywords (pair key: (keyword) @name) @def.field))
      (keywords (pair key: (keyword) @name) @def.field)
    ])
  (#any-of? @_def "defstruct" "defexception"))

; --- attributes: types, callbacks, constants ---
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments
      . (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))
  (#any-of? @_attribute "type" "typep" "opaque")) @def.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments
      . [
        (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")
        (binary_operator left: (binary_operator left: (call target: (identifier) @name) operator: "::") operator: "when")
      ]))
  (#any-of? @_attribute "callback" "macrocallback")) @def.function
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @name (arguments))
  (#not-match? @name
    "^(moduledoc|doc|typedoc|spec|type|typep|opaque|callback|macrocallback|optional_callbacks|impl|behaviour|enforce_keys|derive|deprecated|since|dialyzer|compile|on_load|on_definition|before_compile|after_compile|after_verify|external_resource|tag|moduletag|describetag)$")) @def.constant

; --- calls ---
(call
  target: (identifier) @callee
  (#not-match? @callee
    "^(def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate|defmodule|defprotocol|defimpl|defstruct|defexception|defoverridable|test|use|import|alias|require|moduledoc|doc|typedoc|spec|type|typep|opaque|callback|macrocallback|optional_callbacks|impl|behaviour|enforce_keys|derive|deprecated|tag|moduletag)$")) @call
; Without brackets `Module.name` is a call and `value.name` a field.
(call target: (dot left: (alias) @receiver right: (identifier) @callee)) @call
(call
  target: (dot
    left: [(identifier) (call) (atom) (dot) (access_call) (unary_operator) (block)] @receiver
    right: (identifier) @callee)
  (arguments)) @call
; `value |> function` without brackets.
(binary_operator operator: "|>" right: (identifier) @callee) @call

; An attribute's name is no call, and neither is anything in a type specification.
(unary_operator operator: "@" operand: (call target: (identifier) @ignore))
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute)
  (#any-of? @_attribute "spec" "type" "typep" "opaque" "callback" "macrocallback")) @ignore

; --- what stands above a function: its doc, and attributes that say something about it ---
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute (arguments . [(string) (sigil)] @doc))
  (#any-of? @_attribute "doc" "typedoc"))
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute)
  (#any-of? @_attribute "spec" "impl" "deprecated" "tag")) @decorator

; --- imports ---
(call
  target: (identifier) @_import
  (arguments . [(alias) (dot) (identifier) (atom)])
  (#any-of? @_import "use" "import" "alias" "require")) @import
