"""From a parsed text to plain records. These modules know nodes and bytes; outline.py, above them, knows symbols.

records     what is found: definitions, calls, bindings, spans; and the text by byte offsets
captures    a query's matches into records: what the names of captures mean
calls       calls, the most frequent of matches
bindings    what names stand for: constructed values, declared types
imports     what imports name
typename    the plain name in a written type
declarator  where the name stands in a declaration of C
clauses     several clauses of one name into one definition
comment     the comment above a definition, and how each language writes comments
signature   a definition on one line
mask        a second try at texts a parser stumbles over
"""
