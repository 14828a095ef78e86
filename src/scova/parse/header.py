"""Whether what is called `.h` is C or C++, told by its text. Parses nothing: a few forms that only one of them has are looked for."""

import re

_LOOKED_AT = 1 << 17  # characters of a header
# What stands in a header of C++ at the beginning of a line, and in none of C: what its classes, namespaces and libraries are written with.
_CPP_HEADER = re.compile(
    r"""^[ \t]*+(?:
        template[ \t]*+<
      | (?:inline[ \t]++)?namespace\b[^;=()\n{]*+(?:\n[ \t]*+)?\{
      | (?:class|struct)[ \t][\w \t]*+:[ \t]*+(?:public|private|protected|virtual)\b
      | (?:class|struct)[ \t][\w \t]*+:(?!:)[^;\n(){}]*+(?:\n[ \t]*+)?\{
      | class[ \t][\w \t]*+\r?(?:\n[ \t]*+)?\{
      | enum[ \t]++class\b
      | (?:public|private|protected)[ \t]*+:
      | (?:virtual|explicit)[ \t]
      | using[ \t]++(?:namespace\b|[\w:]++[ \t]*+[=;])
      | \#[ \t]*+include[ \t]*+<\w++>
      | [^\n"':]*+(?::(?!:)[^\n"':]*+)*+(?<=\w)::[~\w]
    )""",
    re.VERBOSE | re.MULTILINE,
)
# A header that asks which of both it is in is C with an addition, unless it refuses one of them.
_FOR_BOTH = re.compile(
    r"""^[ \t]*+\#[ \t]*+(?:
        (?:ifdef[ \t]++|if[ \t]++(?:defined[ \t]*+\(?[ \t]*+)?)__cplusplus[ \t]*+\)?[ \t\r]*+$
      | ifndef[ \t]++__cplusplus[ \t\r]*+\n(?![ \t]*+\#[ \t]*+error\b)
    )""",
    re.VERBOSE | re.MULTILINE,
)
_COMMENT = re.compile(r"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")


def header_language(text: str) -> str:
    """C++ where something says so that C has not, outside of comments."""
    head = text[:_LOOKED_AT]
    if not _CPP_HEADER.search(head):
        return "c"
    written = _COMMENT.sub(" ", head)
    return "cpp" if _CPP_HEADER.search(written) and not _FOR_BOTH.search(written) else "c"
