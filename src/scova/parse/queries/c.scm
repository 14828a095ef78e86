; inherits: cfamily
; --- calls ---
(call_expression function: [
  (identifier) @callee
  (field_expression argument: (_) @receiver field: (field_identifier) @callee)
  (parenthesized_expression (pointer_expression argument: (identifier) @callee))
])
