"""Exact questions about structure: where is it defined, who calls it, what is in this file, where is it used.

asked       a NAME, FILE:LINE or FILE:NAME as people type it
nearest     names and paths like another
languages   what differs between languages: words for the object itself, who sees whom without an import
paths       files and folders, looked up in many ways
calls       one moment's calls, read once and remembered
code        one moment's files, definitions and bindings, read once and remembered
resolution/ which definition a call means
edges       one step through the call graph
tree        callers and callees as trees
define      definitions by name or place
outline     the definitions of a file or folder
usages      every place a name is used at
"""
