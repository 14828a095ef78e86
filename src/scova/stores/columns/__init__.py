"""How files, chunks and outlines are written in the columns of a database: the same for every store of ours that is one."""
