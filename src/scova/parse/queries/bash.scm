; Bash and POSIX shell.

(function_definition name: (word) @name body: (_) @body) @def.function

; --- variables of the file, also under an `if`; `x+=1` adds to a variable and defines none ---
(program (variable_assignment name: (variable_name) @name "=") @def.variable)
(program (variable_assignments (variable_assignment name: (variable_name) @name "=") @def.variable))
(program (if_statement (variable_assignment name: (variable_name) @name "=") @def.variable))
(program (declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @def.constant)
(program
  (declaration_command
    ["declare" "typeset" "export"]
    (word)? @_flags
    (variable_assignment name: (variable_name) @name)
    (#not-match? @_flags "^-[a-zA-Z]*r")) @def.variable)
(program
  (declaration_command
    ["declare" "typeset"]
    (word) @_flags
    (variable_assignment name: (variable_name) @name)
    (#match? @_flags "^-[a-zA-Z]*r")) @def.constant)

; --- calls: a command named by a word; `command foo` and its like call foo ---
(command
  name: (command_name (word) @callee)
  (#not-match? @callee "^(source|\\\\?\\.|\\\\?command|exec|sudo)$"))
(command
  name: (command_name (word) @_runner)
  . argument: (word) @callee
  (#any-of? @_runner "command" "\\command" "exec" "sudo")
  (#not-match? @callee "^-"))

; --- imports ---
(command
  name: (command_name (word) @_source)
  (#any-of? @_source "source" "." "\\.")) @import
