"""What a file's path says of it: test, vendored, generated, example, docs. Looks at the path only, never at the content."""

import re
from functools import lru_cache

_FOLDERS = {
    "test": "test tests __tests__ spec specs testdata test-data test_data fixtures __fixtures__ e2e androidtest unittests regress",
    "vendored": "vendor vendored third_party third-party thirdparty node_modules external extern deps bower_components pods carthage bundled",
    "generated": "generated __generated__ gen-src autogen",
    "example": "example examples _example _examples sample samples demo demos",
    "docs": "doc docs documentation",
}
_TAG_OF_FOLDER = {folder: tag for tag, folders in _FOLDERS.items() for folder in folders.split()}

_NAMES = {
    "test": re.compile(
        r"""(?: test_.*\.py | conftest\.py | .*_tests?\.\w+ | .*[-_]spec\.\w+ | .*\.(?:test|spec|tests|e2e|cy)\.\w+
          | Tests?[A-Z].*\.(?:java|kt|scala|swift|cs|php|groovy) | .*(?:Test|Tests|TestCase|[a-z]IT|Spec|Specs|Suite)\.(?:java|kt|scala|swift|cs|php|groovy|hs)
          | (?:test|tests)\.\w+ )$""",
        re.VERBOSE,
    ),
    "generated": re.compile(
        r""".*(?: \.pb\.\w+ | _pb2(?:_grpc)?\.pyi? | \.g\.(?:cs|dart) | \.designer\.cs | \.generated\.\w+ | [._]gen\.\w+ | _generated\.\w+
          | \.freezed\.dart | -lock\.\w+ | \.lock | go\.sum | \.min\.(?:js|css) )$""",
        re.VERBOSE | re.IGNORECASE,
    ),
    "docs": re.compile(
        r"""(?: .*\.(?:md|mdx|markdown|rst|adoc|asciidoc|org|textile|mediawiki|tex|typ)
          | (?:readme|changelog|changes|contributing|history|news)(?:\.txt)? )$""",
        re.VERBOSE | re.IGNORECASE,
    ),
}

# What a bundler wrote, checked in beside its source. Only what browsers and Node load: elsewhere `dist` may be a part of a program.
_BUNDLED = re.compile(r".*\.(?:[cm]?js|css|d\.[cm]?ts)$", re.IGNORECASE)

_ORDER = ("test", "vendored", "generated", "example", "docs")


@lru_cache(maxsize=4096)
def tags_of(path: str) -> tuple[str, ...]:
    """The tags of a file, by its folders and its name, in a fixed order."""
    *folders, name = path.split("/")
    found = {_TAG_OF_FOLDER.get(folder.lower()) for folder in folders}
    found |= {"test" for folder in folders if folder.endswith(("Tests", ".Test", "_test"))}
    found |= {tag for tag, pattern in _NAMES.items() if pattern.match(name)}
    found |= {"generated" for folder in folders if folder == "dist" and _BUNDLED.match(name)}
    return tuple(tag for tag in _ORDER if tag in found)
