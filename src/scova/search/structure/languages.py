"""What differs between languages when names are resolved. A language that is not listed gets the cautious defaults.

Facts only; nothing is looked up here.
"""

from functools import cache

from scova.record import field, record, replace


@record
class Rules:
    """How a language binds names."""

    family: str  # languages that can call each other
    this: frozenset[str] = frozenset()  # the object itself
    above: frozenset[str] = frozenset()  # the same, seen as what its class inherits from
    bare_members: bool = False  # `f()` inside a class may be a member of it
    open_classes: str = ""  # where members of a class may be besides its file: "folder", "anywhere"
    shares: str = ""  # who sees a file's top level without an import: "folder", "package", "all"
    constructors: frozenset[str] = frozenset()  # names of members that run when an instance is made
    makers: frozenset[str] = frozenset()  # called on a class: make an instance of it
    full_names: bool = False  # things can be named in full, without an import
    outside: frozenset[str] = frozenset()  # first components of modules that are never in an index
    builtins: frozenset[str] = field(default_factory=frozenset)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PYTHON_BUILTINS = _words(
    """abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict
    dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
    issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed round
    set setattr slice sorted staticmethod str sum super tuple type vars zip __import__ ArithmeticError AssertionError
    AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError ChildProcessError
    ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Exception
    ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit ImportError ImportWarning
    IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError IOError OverflowError PendingDeprecationWarning
    PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
    StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError
    UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError reveal_type"""
)
_ECMA_BUILTINS = _words(
    """Array ArrayBuffer BigInt Boolean Date Error EvalError Function Int32Array Uint8Array Float32Array Float64Array Map Number
    Object Promise Proxy RangeError ReferenceError RegExp Set String Symbol SyntaxError TypeError URIError URL URLSearchParams
    WeakMap WeakRef WeakSet alert atob btoa clearImmediate clearInterval clearTimeout decodeURI decodeURIComponent encodeURI
    encodeURIComponent eval fetch isFinite isNaN parseFloat parseInt queueMicrotask require requestAnimationFrame setImmediate
    setInterval setTimeout structuredClone import super AbortController TextEncoder TextDecoder Blob FormData Headers Request
    Response Event EventTarget Buffer"""
)
_GO_BUILTINS = _words(
    """append cap clear close complex copy delete imag len make max min new panic print println real recover bool byte error float32
    float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr any"""
)
_RUST_BUILTINS = _words(
    """Some None Ok Err Box Vec String println print eprintln eprint format panic assert assert_eq assert_ne debug_assert
    debug_assert_eq vec write writeln todo unimplemented unreachable matches drop dbg include_str include_bytes concat env
    stringify cfg compile_error line file column module_path thread_local option_env"""
)
_PHP_BUILTINS = _words(
    """array isset unset empty count strlen str_replace sprintf printf implode explode in_array array_map array_filter array_merge
    array_keys array_values array_key_exists array_shift array_pop array_push array_slice array_unique array_reduce array_search
    is_array is_string is_int is_null is_callable is_object is_bool is_numeric json_encode json_decode trim rtrim ltrim strtolower
    strtoupper ucfirst lcfirst substr strpos str_contains str_starts_with str_ends_with preg_match preg_replace
    preg_replace_callback preg_quote func_get_args call_user_func call_user_func_array method_exists class_exists
    property_exists get_class date time microtime define defined compact extract range max min round floor ceil abs intval
    is_a is_subclass_of iterator_to_array usort ksort uasort array_walk array_flip array_fill array_combine file_exists
    file_get_contents file_put_contents is_file is_dir dirname basename realpath function_exists spl_object_hash tap"""
)
_C_BUILTINS = _words("sizeof alignof offsetof decltype typeid static_assert assert va_start va_end va_arg defined")
_CPP_BUILTINS = _words(
    "static_cast dynamic_cast const_cast reinterpret_cast noexcept co_await alignas int char bool double float"
)
_RUBY_BUILTINS = _words(
    """puts print p require require_relative raise lambda proc loop attr_accessor attr_reader attr_writer include extend prepend
    private public protected module_function catch throw format sprintf gets rand sleep freeze binding block_given? autoload
    alias_method define_method private_constant Integer Float String Array Hash Rational super"""
)
_LUA_BUILTINS = _words(
    """assert collectgarbage dofile error getmetatable ipairs load loadfile next pairs pcall print rawequal rawget rawlen rawset
    require select setmetatable tonumber tostring type unpack xpcall"""
)
_SWIFT_BUILTINS = _words(
    "print fatalError precondition preconditionFailure assert assertionFailure min max abs type zip String Int"
)
_KOTLIN_BUILTINS = _words(
    """println print listOf mutableListOf mapOf mutableMapOf setOf mutableSetOf arrayOf emptyList emptyMap emptySet require
    requireNotNull check checkNotNull error lazy run with repeat TODO buildString buildList buildMap sequenceOf arrayListOf
    hashMapOf hashSetOf linkedMapOf intArrayOf byteArrayOf to Pair Triple"""
)
_BASH_BUILTINS = _words(
    """echo printf cd pwd test [ [[ read export local declare set unset shift return exit eval exec source . trap true false
    command type builtin getopts ulimit umask wait kill jobs alias"""
)
_SCALA_BUILTINS = _words(
    "println print require assert Some None Left Right List Map Set Seq Vector Option Array Nil identity"
)
_ELIXIR_BUILTINS = _words(
    """is_atom is_binary is_list is_map is_integer is_nil is_tuple is_function is_boolean is_float is_number is_pid raise throw
    inspect to_string hd tl length elem put_elem send self spawn apply max min abs div rem round trunc node exit not in tuple_size
    map_size byte_size struct struct! get_in put_in update_in function_exported? match? sigil_r reraise dbg then tap"""
)

_JVM = Rules(
    "jvm", full_names=True, this=_words("this"), above=_words("super"), bare_members=True, shares="package", constructors=_words("constructor this"),
    outside=_words("java javax kotlin scala kotlinx android androidx"),
)  # fmt: skip
_ECMA = Rules(
    "ecma", this=_words("this"), above=_words("super"), constructors=_words("constructor"), builtins=_ECMA_BUILTINS
)
_C = Rules("c", shares="all", builtins=_C_BUILTINS)
_CPP = replace(
    _C, this=_words("this (*this)"), bare_members=True, open_classes="anywhere", outside=_words("std boost"),
    builtins=_C_BUILTINS | _CPP_BUILTINS,
)  # fmt: skip

RULES: dict[str, Rules] = {
    "python": Rules(
        "python", this=_words("self cls"), above=_words("super()"), constructors=_words("__init__ __new__ __post_init__"),
        builtins=_PYTHON_BUILTINS,
    ),
    "javascript": _ECMA, "typescript": _ECMA, "tsx": _ECMA, "jsx": _ECMA, "vue": _ECMA,
    "java": _JVM,
    "kotlin": replace(_JVM, builtins=_KOTLIN_BUILTINS),
    "scala": replace(_JVM, builtins=_SCALA_BUILTINS),
    "go": Rules("go", open_classes="folder", shares="folder", builtins=_GO_BUILTINS),
    "rust": Rules(
        "rust", full_names=True, this=_words("self Self"), open_classes="anywhere", outside=_words("std core alloc"), builtins=_RUST_BUILTINS
    ),
    "c": _C, "cpp": _CPP, "cuda": _CPP, "arduino": _CPP,
    "csharp": Rules(
        "csharp", full_names=True, this=_words("this"), above=_words("base"), bare_members=True, open_classes="anywhere", shares="all",
        outside=_words("System Microsoft"), builtins=_words("nameof typeof base this default"),
    ),
    "php": Rules(
        "php", full_names=True, this=_words("$this self static"), above=_words("parent"), shares="package", constructors=_words("__construct"),
        builtins=_PHP_BUILTINS,
    ),
    "ruby": Rules(
        "ruby", this=_words("self"), bare_members=True, open_classes="anywhere", shares="all", constructors=_words("initialize"), makers=_words("new"),
        builtins=_RUBY_BUILTINS,
    ),
    "swift": Rules(
        "swift", this=_words("self Self"), above=_words("super"), bare_members=True, open_classes="anywhere", shares="all",
        constructors=_words("init"), builtins=_SWIFT_BUILTINS,
    ),
    "lua": Rules("lua", this=_words("self"), builtins=_LUA_BUILTINS),
    "bash": Rules("bash", builtins=_BASH_BUILTINS),
    "elixir": Rules("elixir", full_names=True, shares="all", this=_words("__MODULE__"), bare_members=True, builtins=_ELIXIR_BUILTINS),
    "haskell": Rules("haskell", full_names=True),
    "zig": Rules("zig", this=_words("self"), bare_members=True),
}  # fmt: skip


@cache
def rules_of(language: str) -> Rules:
    """The rules of a language; of one without rules of its own: nothing is shared, nothing is implied."""
    return RULES.get(language) or Rules(language)
