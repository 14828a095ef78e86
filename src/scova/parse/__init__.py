"""Text into outlines and chunks: no disk beyond the package's own query files, no network, no index.

    language    which language a file is written in, by its name, or its text
    header      whether a header is C or C++
    tags        what a path says of its file: test, vendored, generated, example, docs
    grammar     one parser and one compiled query per language, loaded when first met
    queries/    what to look for in each language, in tree-sitter's words
    reading/    from a parsed text to plain records
    nesting     which definition stands in which, and what stands in it
    binding     what names stand for, in the definitions they hold in
    outline     records into Symbols, Calls, imports, Bindings
    chunk       a text and its outline into the chunks that are indexed
    prose       documents into sections, by their headings
    tiling/     where to cut, so that every line is in one chunk: code, comments, keys, headings, weights
    symbolmap   a file's symbols as one page of text

Deliberately imports nothing: telling a file's language must not load a parser.
"""
