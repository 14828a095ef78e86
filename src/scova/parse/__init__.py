"""Text into outlines and chunks: no disk beyond the package's own query files, no network, no index.

    language   which language a file is written in, by its name and first line
    grammar    one parser and one compiled query per language, loaded when first met
    reading/   from a parsed text to plain records: captures, comments, masks
    outline    records into Symbols, Calls, imports

Deliberately imports nothing: telling a file's language must not load a parser.
"""
