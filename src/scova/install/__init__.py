"""Agent clients told of scova: whose configuration lies where, and how one entry is put into it and taken out again without a trace.

Knows files of other programs, and nothing of indexes, searching or the server that is started.
"""
