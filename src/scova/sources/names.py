"""What a name alone tells: entries left out without looking inside, and why.

The lists are of conventions that hold across projects. A `.scovaignore` line such as `!node_modules/` overrules them.
Knows nothing of ignore rules, and opens nothing.
"""

from typing import NamedTuple


class Reason(NamedTuple):
    """A Skip's reason and detail."""

    word: str
    detail: str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OVERRULE = "; a line `!{name}` in .scovaignore brings it back"

_INTERNAL_FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", ".pijul", "CVS", ".scova"})

_VENDORED_FOLDERS = frozenset(
    {"node_modules", "bower_components", "jspm_packages", ".pnpm-store", ".yarn", "site-packages", "elm-stuff", ".eggs"}
)

_CACHE_FOLDERS = _words("""__pycache__ .mypy_cache .pytest_cache .ruff_cache .hypothesis .tox .nox .ipynb_checkpoints .cache .parcel-cache
    .turbo .next .nuxt .svelte-kit .angular .nyc_output .gradle .terraform .dart_tool .import_linter_cache .ccls-cache
    .clangd""")

_GENERATED_NAMES = _words("""package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock poetry.lock pdm.lock uv.lock
    pipfile.lock pylock.toml conda-lock.yml cargo.lock go.sum go.work.sum composer.lock gemfile.lock podfile.lock
    mix.lock pubspec.lock packages.lock.json flake.lock gradle.lockfile package.resolved cartfile.resolved rebar.lock
    stack.yaml.lock cabal.project.freeze .terraform.lock.hcl module.bazel.lock shard.lock paket.lock""")

_MINIFIED_ENDS = (".min.js", ".min.mjs", ".min.cjs", ".min.css", "-min.js", "-min.css", ".map")

_BINARY_NAMES = frozenset({".ds_store", "thumbs.db", "bun.lockb"})
_BINARY_SUFFIXES = _words("""png jpg jpeg jpe gif bmp ico icns cur tif tiff webp avif heic heif jxl psd xcf exr dds ktx ktx2 tga
    mp3 mp4 m4a m4v aac flac ogg oga ogv opus wav aif aiff mid midi avi mov mkv webm wmv wma flv mpg mpeg
    ttf otf woff woff2 eot ttc pfb
    zip tar gz tgz bz2 tbz2 xz txz zst lz lz4 lzma br 7z rar z cab ar cpio jar war ear aar whl egg nupkg gem deb rpm
    apk aab ipa dmg iso img msi vsix crx xpi snupkg
    exe dll so dylib a o obj lib pdb ilk exp bin elf class pyc pyo pyd wasm rlib rmeta beam elc dex nib swf fla sys ko
    pdf doc docx xls xlsx xlsm ppt pptx odt ods odp epub mobi djvu dvi pages numbers
    sqlite sqlite3 db db3 mdb accdb frm myd myi ibd rdb dump
    parquet arrow feather avro orc npy npz pkl pickle joblib h5 hdf5 mat rds rdata onnx pt pth ckpt safetensors gguf
    ggml tflite mlmodel pb
    blend fbx glb 3ds max dwg skp mo gmo gpg pgp der pcap pcapng dcm nii lockb""")


def folder_reason(name: str) -> Reason | None:
    """Why a folder of this name is left out, or None."""
    if name in _INTERNAL_FOLDERS:
        return Reason("internal", "the bookkeeping of a tool, not part of the project")
    if name in _VENDORED_FOLDERS:
        return Reason("vendored", "installed packages" + _OVERRULE.format(name=f"{name}/"))
    if name in _CACHE_FOLDERS:
        return Reason("cache", "made by a tool, and made again" + _OVERRULE.format(name=f"{name}/"))
    return None


def is_internal(name: str) -> bool:
    """Whether this is a tool's own folder: left out whatever any rule says."""
    return name in _INTERNAL_FOLDERS


def file_reason(name: str) -> Reason | None:
    """Why a file of this name is left out, or None. Names of secrets have a table of their own (`secrets`)."""
    lower = name.lower()
    stem, _, suffix = lower.rpartition(".")
    if (stem and suffix in _BINARY_SUFFIXES) or lower in _BINARY_NAMES:
        return Reason("binary", f"a file of type .{suffix} is not text")
    if lower in _GENERATED_NAMES:
        return Reason("generated", "a lock file, written by a package manager" + _OVERRULE.format(name=name))
    if lower.endswith(_MINIFIED_ENDS):
        return Reason("minified", "compressed, or a map of compressed code" + _OVERRULE.format(name=name))
    return None
