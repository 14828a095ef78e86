; Elements of JSX. Not a language: javascript.scm and tsx.scm begin with it. A component is called by naming it;
; lower-case names are the browser's.
([(jsx_opening_element name: (identifier) @callee) (jsx_self_closing_element name: (identifier) @callee)]
  (#match? @callee "^[A-Z]"))
[(jsx_opening_element name: (member_expression object: (_) @receiver property: (property_identifier) @callee))
 (jsx_self_closing_element name: (member_expression object: (_) @receiver property: (property_identifier) @callee))]
