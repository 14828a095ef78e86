"""Which definition a name means where it stands.

written     an expression as it is written, in steps
workspaces  packages of the repository by the names they are imported under
crates      paths of Rust
modules     the file, folder or package an import means
classes     members of a class, its bases included
meaning     what an expression stands for: a class, an instance of one, a module, a function
resolve     the definition a call means, or those it could mean
"""
