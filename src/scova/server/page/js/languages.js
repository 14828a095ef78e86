// What the highlighter has to know of each language: comments, strings, words. Tables only.

const words = (text) => new Set(text.split(" "));
const C_LIKE = { line: ["//"], block: [["/*", "*/"]], strings: ['"', "'"] };
const HASH = { line: ["#"], strings: ['"', "'"] };

const JS =
  "async await break case catch class const continue debugger default delete do else export extends false finally for from function get if import in instanceof let new null of return set static super switch this throw true try typeof undefined var void while with yield";
const TS = `${JS} abstract any as asserts boolean declare enum implements infer interface is keyof namespace never number object private protected public readonly satisfies string symbol type unknown`;
const C =
  "auto bool break case char const continue default do double else enum extern false float for goto if inline int long NULL register restrict return short signed sizeof static struct switch true typedef union unsigned void volatile while";

const SCRIPT = { ...C_LIKE, words: words(JS), long: [["`", "`"]], sigil: "@" };

export const LANGUAGES = {
  python: {
    ...HASH,
    long: [['"""', '"""'], ["'''", "'''"]],
    sigil: "@",
    words: words(
      "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try type while with yield",
    ),
  },
  javascript: SCRIPT,
  typescript: { ...SCRIPT, words: words(TS) },
  c: { ...C_LIKE, words: words(C), sigil: "#" },
  cpp: {
    ...C_LIKE,
    sigil: "#",
    words: words(
      `${C} alignas alignof catch class co_await co_return co_yield concept consteval constexpr constinit const_cast decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept nullptr operator override private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid typename using virtual`,
    ),
  },
  csharp: {
    ...C_LIKE,
    long: [['"""', '"""']],
    sigil: "#",
    words: words(
      "abstract as async await base bool break byte case catch char checked class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach get goto if implicit in init int interface internal is lock long namespace new null object operator out override params private protected public readonly record ref required return sbyte sealed set short sizeof static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using var virtual void volatile when where while yield",
    ),
  },
  java: {
    ...C_LIKE,
    long: [['"""', '"""']],
    sigil: "@",
    words: words(
      "abstract assert boolean break byte case catch char class const continue default do double else enum extends false final finally float for goto if implements import instanceof int interface long native new non-sealed null package permits private protected public record return sealed short static strictfp super switch synchronized this throw throws transient true try var void volatile while yield",
    ),
  },
  kotlin: {
    ...C_LIKE,
    long: [['"""', '"""']],
    sigil: "@",
    words: words(
      "abstract actual annotation as break by catch class companion const constructor continue crossinline data do dynamic else enum expect external false final finally for fun get if import in infix init inline inner interface internal is lateinit noinline null object open operator out override package private protected public reified return sealed set super suspend tailrec this throw true try typealias val value var vararg when where while",
    ),
  },
  scala: {
    ...C_LIKE,
    long: [['"""', '"""']],
    sigil: "@",
    words: words(
      "abstract case catch class def do else end enum export extends extension false final finally for forSome given if implicit import inline lazy match new null object opaque override package private protected return sealed super then this throw trait true try type using val var while with yield",
    ),
  },
  go: {
    ...C_LIKE,
    long: [["`", "`"]],
    words: words(
      "any append bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface len make map new nil package panic range return rune select string struct switch true type uint var",
    ),
  },
  rust: {
    line: ["//"],
    block: [["/*", "*/"]],
    long: [['"', '"', "\\"]],
    character: true,
    sigil: "#",
    words: words(
      "as async await bool box break char const continue crate dyn else enum extern f32 f64 false fn for i16 i32 i64 i8 if impl in isize let loop match mod move mut pub ref return self Self static str struct super trait true type u16 u32 u64 u8 union unsafe use usize where while",
    ),
  },
  swift: {
    ...C_LIKE,
    strings: ['"'],
    long: [['"""', '"""']],
    sigil: "@",
    words: words(
      "actor any as associatedtype async await break case catch class continue convenience default defer deinit do else enum extension fallthrough false fileprivate final for func get guard if import in indirect init inout internal is lazy let mutating nil nonisolated open operator override precedencegroup private protocol public repeat required rethrows return self Self set some static struct subscript super switch throw throws true try typealias unowned var weak where while",
    ),
  },
  zig: {
    line: ["//"],
    strings: ['"', "'"],
    sigil: "@",
    words: words(
      "addrspace align allowzero and anyframe anytype asm async await bool break callconv catch comptime const continue defer else enum errdefer error export extern false fn for if inline isize linksection noalias noinline null nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal true try type u16 u32 u64 u8 undefined union unreachable usingnamespace usize var void volatile while",
    ),
  },
  php: {
    line: ["//", "#"],
    block: [["/*", "*/"]],
    strings: ['"', "'"],
    variable: "$",
    words: words(
      "abstract and array as bool break callable case catch class clone const continue declare default do echo else elseif empty enum extends false final finally float fn for foreach function global goto if implements include include_once instanceof insteadof int interface isset list match mixed namespace never new null object or private protected public readonly require require_once return self static string switch this throw trait true try unset use var void while yield",
    ),
  },
  ruby: {
    ...HASH,
    block: [["=begin", "=end"]],
    variable: "@",
    words: words(
      "BEGIN END alias and attr_accessor attr_reader attr_writer begin break case class def defined? do else elsif end ensure extend false for if in include module next nil not or private protected public raise redo require require_relative rescue retry return self super then true undef unless until when while yield",
    ),
  },
  elixir: {
    ...HASH,
    long: [['"""', '"""']],
    sigil: "@",
    words: words(
      "after alias and case catch cond def defdelegate defexception defguard defimpl defmacro defmacrop defmodule defp defprotocol defstruct do else end false fn for if import in nil not or quote raise receive require rescue super true try unless unquote use when with",
    ),
  },
  haskell: {
    line: ["--"],
    block: [["{-", "-}"]],
    strings: ['"'],
    words: words(
      "as case class data default deriving do else family forall foreign hiding if import in infix infixl infixr instance let module newtype of otherwise qualified then type where",
    ),
  },
  lua: {
    line: ["--"],
    block: [["--[[", "]]"]],
    strings: ['"', "'"],
    long: [["[[", "]]"]],
    words: words(
      "and break do else elseif end false for function goto if in local nil not or repeat return self then true until while",
    ),
  },
  bash: {
    ...HASH,
    variable: "$",
    words: words(
      "alias break case continue declare do done elif else esac eval exec exit export fi for function if in local read readonly return set shift source then trap unset until while",
    ),
  },
  sql: {
    line: ["--"],
    block: [["/*", "*/"]],
    strings: ["'", '"'],
    folded: true,
    words: words(
      "add all alter and as asc between by cascade case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references returning right rollback select set table then true union unique update using values view when where with",
    ),
  },
  css: { block: [["/*", "*/"]], strings: ['"', "'"], sigil: "@", words: words("important inherit initial none unset var") },
  html: { block: [["<!--", "-->"]], strings: ['"', "'"], words: new Set() },
  json: { strings: ['"'], line: ["//"], words: words("true false null"), quoted: true },
  toml: { ...HASH, long: [['"""', '"""'], ["'''", "'''"]], words: words("true false"), keys: true },
  yaml: { ...HASH, words: words("true false null yes no on off"), keys: true },
  ini: { line: ["#", ";"], strings: ['"'], words: words("true false"), keys: true },
  make: { ...HASH, variable: "$", words: words("define else endef endif export ifdef ifeq ifndef ifneq include override"), keys: true },
  dockerfile: {
    ...HASH,
    words: words("ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR"),
  },
  scheme: { line: [";"], strings: ['"'], words: words("define lambda let if cond else begin quote set") },
};

const ALSO = {
  tsx: "typescript",
  jsx: "javascript",
  ts: "typescript",
  js: "javascript",
  py: "python",
  rs: "rust",
  rb: "ruby",
  "c#": "csharp",
  cs: "csharp",
  "c++": "cpp",
  sh: "bash",
  shell: "bash",
  console: "bash",
  zsh: "bash",
  yml: "yaml",
  xml: "html",
  svg: "html",
  vue: "html",
  scss: "css",
  less: "css",
  hcl: "toml",
  makefile: "make",
  clojure: "scheme",
  lisp: "scheme",
  jsonc: "json",
};

/** What is known of a language, or null. */
export function language(name) {
  const key = (name || "").toLowerCase();
  return LANGUAGES[ALSO[key] || key] || null;
}
