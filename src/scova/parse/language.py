"""Which language a file is written in, told by its name and, where the name does not say, by its text.

Names are lower-case and stable: they are stored with every chunk and asked for in filters. This module opens nothing and
imports no parser; a language named here need not have a grammar.
"""

import re

# One row per language: its extensions, without the dot. An extension stands in one row only.
_EXTENSIONS: dict[str, str] = {
    # programming
    "actionscript": "as",
    "ada": "adb ads",
    "applescript": "applescript scpt",
    "arduino": "ino",
    "asm": "asm s nasm",
    "astro": "astro",
    "awk": "awk gawk",
    "bash": "sh bash zsh ksh bats ebuild eclass dash",
    "batch": "bat cmd",
    "bicep": "bicep",
    "c": "c h",
    "clojure": "clj cljs cljc edn bb",
    "cmake": "cmake",
    "cobol": "cob cbl cpy",
    "coffeescript": "coffee litcoffee",
    "cpp": "cpp cc cxx c++ hpp hh hxx h++ inl ipp tpp txx ixx cppm",
    "crystal": "cr",
    "csharp": "cs csx cake",
    "cuda": "cu cuh",
    "cython": "pyx pxd pxi",
    "d": "d di",
    "dart": "dart",
    "elixir": "ex exs",
    "elm": "elm",
    "erlang": "erl hrl escript",
    "fish": "fish",
    "fortran": "f f77 f90 f95 f03 f08 for",
    "fsharp": "fs fsi fsx",
    "gdscript": "gd",
    "gleam": "gleam",
    "glsl": "glsl vert frag geom tesc tese comp",
    "go": "go",
    "groovy": "groovy gradle gvy",
    "haskell": "hs lhs hsc",
    "haxe": "hx",
    "hcl": "hcl tf tfvars nomad",
    "hlsl": "hlsl fx",
    "java": "java jav",
    "javascript": "js mjs cjs jsx es6",
    "julia": "jl",
    "kotlin": "kt kts",
    "lean": "lean",
    "lisp": "lisp lsp cl el",
    "lua": "lua rockspec",
    "luau": "luau",
    "matlab": "mlx",
    "meson": "",
    "nim": "nim nims nimble",
    "nix": "nix",
    "objc": "m mm",
    "ocaml": "ml mli mll mly",
    "odin": "odin",
    "pascal": "pas pp dpr lpr",
    "perl": "pl pm t pod",
    "php": "php php3 php4 php5 phtml phps",
    "powershell": "ps1 psm1 psd1",
    "protobuf": "proto",
    "purescript": "purs",
    "python": "py pyw pyi py3 wsgi",
    "r": "r rmd",
    "racket": "rkt",
    "reason": "re rei",
    "rescript": "res resi",
    "ruby": "rb rake gemspec ru podspec jbuilder rbi rbw thor",
    "rust": "rs",
    "scala": "scala sc sbt",
    "scheme": "scm ss sld",
    "smali": "smali",
    "smalltalk": "st",
    "solidity": "sol",
    "sql": "sql ddl dml psql pgsql",
    "starlark": "bzl bazel star bzlmod",
    "svelte": "svelte",
    "swift": "swift",
    "systemverilog": "sv svh",
    "tcl": "tcl",
    "thrift": "thrift",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "v": "vsh",
    "vala": "vala vapi",
    "vb": "vb vbs bas",
    "verilog": "v vh",
    "vhdl": "vhd vhdl",
    "viml": "vim vimrc",
    "vue": "vue",
    "wgsl": "wgsl",
    "zig": "zig zon",
    # pages, styles, templates, schemas
    "css": "css",
    "graphql": "graphql gql graphqls",
    "haml": "haml",
    "handlebars": "hbs handlebars mustache",
    "html": "html htm xhtml",
    "jinja": "jinja jinja2 j2",
    "less": "less",
    "liquid": "liquid",
    "pug": "pug jade",
    "sass": "sass",
    "scss": "scss",
    "slim": "slim",
    "twig": "twig",
    "erb": "erb",
    "eex": "eex heex leex",
    "razor": "cshtml razor",
    # prose
    "asciidoc": "adoc asciidoc",
    "latex": "tex sty cls bib ltx",
    "man": "1 2 3 4 5 6 7 8 9",
    "markdown": "md markdown mdown mkd mkdn mdx mdc qmd",
    "org": "org",
    "rst": "rst rest",
    "text": "txt text",
    "textile": "textile",
    "typst": "typ",
    "wiki": "mediawiki wiki",
    # data and settings
    "csv": "csv",
    "diff": "diff patch",
    "dotenv": "env",
    "ini": "ini cfg conf cnf prefs properties editorconfig desktop service toc",
    "json": "json json5 jsonc jsonl ndjson geojson webmanifest har avsc ipynb map code-workspace code-snippets",
    "log": "log",
    "po": "po pot",
    "plist": "plist",
    "svg": "svg",
    "toml": "toml",
    "tsv": "tsv tab",
    "xml": "xml xsd xsl xslt wsdl rss atom pom csproj fsproj vbproj vcxproj props targets nuspec resx xaml storyboard xib",
    "yaml": "yaml yml clang-format clang-tidy cff",
}

# Whole file names; one in lower case stands for any spelling.
_NAMES: dict[str, str] = {
    "bash": ".bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile .kshrc pkgbuild apkbuild",
    "cmake": "cmakelists.txt",
    "dockerfile": "dockerfile containerfile",
    "dotenv": ".env",
    "elixir": "mix.lock",
    "erlang": "rebar.config",
    "gitignore": ".gitignore .dockerignore .npmignore .ignore .gitattributes .eslintignore .prettierignore .scovaignore",
    "go.mod": "go.mod go.work",
    "groovy": "jenkinsfile",
    "ini": ".gitconfig .gitmodules .npmrc .editorconfig .flake8 .pylintrc .coveragerc pipfile.cfg",
    "json": ".babelrc .eslintrc .prettierrc .swcrc composer.lock .watchmanconfig flake.lock deno.lock",
    "just": "justfile .justfile",
    "make": "makefile gnumakefile bsdmakefile",
    "meson": "meson.build meson_options.txt meson.options",
    "perl": "makefile.pl cpanfile",
    "python": "sconstruct sconscript wscript",
    "ruby": "gemfile rakefile guardfile vagrantfile podfile fastfile brewfile capfile berksfile thorfile appraisals .irbrc .pryrc",
    "starlark": "BUILD WORKSPACE BUCK Tiltfile",
    "text": "license licence copying authors contributors notice readme changelog changes news todo install version maintainers "
    "codeowners copyright history credits thanks requirements.txt robots.txt humans.txt patents",
    "toml": "pipfile cargo.lock poetry.lock uv.lock gopkg.lock",
    "viml": ".vimrc .gvimrc _vimrc",
    "yaml": ".clang-format .clang-tidy .clangd pubspec.lock .yamllint",
}

# Several extensions together mean something else than the last one.
_COMPOUND = {".d.ts": "typescript", ".blade.php": "php", ".html.erb": "erb", ".html.heex": "eex", ".json.erb": "erb"}

# What a shebang calls, without version digits.
_INTERPRETERS: dict[str, str] = {
    "awk": "awk", "gawk": "awk", "mawk": "awk", "bash": "bash", "bats": "bash", "dash": "bash", "ksh": "bash", "sh": "bash",
    "zsh": "bash", "ash": "bash", "bun": "typescript", "deno": "typescript", "ts-node": "typescript", "tsx": "typescript",
    "crystal": "crystal", "elixir": "elixir", "iex": "elixir", "escript": "erlang", "fish": "fish", "groovy": "groovy",
    "guile": "scheme", "julia": "julia", "kotlin": "kotlin", "kotlinc": "kotlin", "lua": "lua", "luajit": "lua", "make": "make",
    "gmake": "make", "nim": "nim", "node": "javascript", "nodejs": "javascript", "ocaml": "ocaml", "osascript": "applescript",
    "perl": "perl", "php": "php", "pwsh": "powershell", "pypy": "python", "python": "python", "uv": "python",
    "racket": "racket", "Rscript": "r", "jruby": "ruby", "ruby": "ruby", "rake": "ruby", "rust-script": "rust",
    "runghc": "haskell", "runhaskell": "haskell", "stack": "haskell", "scala": "scala", "scala-cli": "scala", "sbcl": "lisp",
    "swift": "swift", "tclsh": "tcl", "wish": "tcl", "expect": "tcl", "zx": "javascript", "just": "just",
}  # fmt: skip

# What editors call a language, where it differs from its name here.
_EDITOR_NAMES = {
    "c++": "cpp", "cs": "csharp", "c#": "csharp", "js": "javascript", "jsx": "javascript", "ts": "typescript",
    "typescriptreact": "tsx", "javascriptreact": "javascript", "sh": "bash", "zsh": "bash", "shell-script": "bash",
    "shell": "bash", "py": "python", "rb": "ruby", "makefile": "make", "gnumakefile": "make", "md": "markdown",
    "emacs-lisp": "lisp", "yml": "yaml", "conf": "ini", "vim": "viml", "tex": "latex", "cperl": "perl",
}  # fmt: skip

_BY_EXTENSION = {extension: name for name, row in _EXTENSIONS.items() for extension in row.split()}
_BY_NAME = {file_name: name for name, row in _NAMES.items() for file_name in row.split()}
LANGUAGES = frozenset((*_EXTENSIONS, *_NAMES, *_INTERPRETERS.values()))  # every name there is
_KNOWN = LANGUAGES

_PROSE = frozenset(["asciidoc", "latex", "man", "markdown", "org", "rst", "text", "textile", "typst", "wiki"])
_DATA_LISTED = "csv diff dotenv gitignore go.mod ini json log plist po svg toml tsv xml yaml"
_DATA = frozenset(_DATA_LISTED.split())

_NAME_PATTERNS = (
    (re.compile(r"(?:docker|container)file[.-].+|.+\.(?:docker|container)file"), "dockerfile"),
    (re.compile(r"(?:gnu)?makefile[.-].+|.+\.(?:mk|mak|make)"), "make"),
    (re.compile(r"\.env\..+"), "dotenv"),
    (re.compile(r"requirements.*\.txt|constraints.*\.txt"), "text"),
    (re.compile(r".+\.just"), "just"),
)
_SHEBANG = re.compile(r"^#!\s*(?:\S*/)?(\S+)(?:\s+(.*))?$")
_EMACS_MODE = re.compile(r"-\*-\s*(?:.*?\bmode:\s*)?([\w+#-]+)\s*(?:;.*?)?-\*-", re.IGNORECASE)
_VIM_MODE = re.compile(r"\b(?:vim?|ex):.*?\b(?:ft|filetype|syntax)=([\w+#]+)", re.IGNORECASE)


_LONGEST_FIRST_LINE = 1024


def language_of(path: str, text: str = "") -> str:
    """The language's name, or an empty string. The file's name decides; its text, of which the beginning will do, only where the name leaves it open."""
    name = path.rsplit("/", 1)[-1]
    whole = _BY_NAME.get(name, "")
    name = name.lower()
    extension = name.rsplit(".", 1)[-1] if "." in name.lstrip(".") else ""
    found = whole or _by_file_name(name) or _BY_EXTENSION.get(extension, "")
    if extension == "h":
        from scova.parse.header import header_language  # its patterns take longer to make than a table to load

        return _modeline(_first_line(text)) or header_language(text)
    if found == "man" and not text.startswith((".", "'")):
        found = _modeline(_first_line(text))
    if not found or (found == "text" and not extension):  # `install` may be a note or a script
        found = _by_first_line(_first_line(text)) or found
    return found


def possible_languages(path: str) -> tuple[str, ...]:
    """What a file may be written in, by its name alone."""
    found = language_of(path)
    return ("c", "cpp") if found == "c" and path.lower().endswith(".h") else (found,)


def kind_of(language: str) -> str:
    """`prose` is read by heading and paragraph, `data` is kept as it is, everything else (unknown included) is `code`."""
    if language in _PROSE:
        return "prose"
    return "data" if language in _DATA else "code"


def _by_file_name(name: str) -> str:
    if name in _BY_NAME:
        return _BY_NAME[name]
    for suffix, language in _COMPOUND.items():
        if name.endswith(suffix):
            return language
    return next((language for pattern, language in _NAME_PATTERNS if pattern.fullmatch(name)), "")


def _first_line(text: str) -> str:
    return text[:_LONGEST_FIRST_LINE].split("\n", 1)[0].rstrip("\r")


def _by_first_line(line: str) -> str:
    if line.startswith("#!"):
        return _shebang(line)
    if line.startswith("<?php"):
        return "php"
    if line.startswith("<?xml"):
        return "xml"
    if line[:9].lower() == "<!doctype":
        return "html"
    return _modeline(line)


def _shebang(line: str) -> str:
    match = _SHEBANG.match(line.strip())
    if match is None:
        return ""
    program, arguments = match.groups()
    if program == "env":
        words = (word for word in (arguments or "").split() if not word.startswith("-") and "=" not in word)
        program = next(words, "").rsplit("/", 1)[-1]
    return _INTERPRETERS.get(program) or _INTERPRETERS.get(program.rstrip("0123456789."), "")


def _modeline(line: str) -> str:
    match = _EMACS_MODE.search(line) or _VIM_MODE.search(line)
    if match is None:
        return ""
    name = match.group(1).lower()
    name = _EDITOR_NAMES.get(name, name)
    return name if name in _KNOWN else ""
