// Each language's keywords and its marks for comments and strings, by file extension. That is enough for colours; no
// grammar is needed.

export interface Language {
  keywords: ReadonlySet<string>;
  /** The marks that begin a comment which ends with its line. */
  line: readonly string[];
  /** The beginning and end of a comment over several lines. */
  block?: readonly [string, string];
  /** The marks around a string; a string in `long` marks may span lines. */
  quotes: readonly string[];
  long: readonly string[];
}

const words = (text: string) => new Set(text.split(" "));

const script: Language = {
  keywords: words(
    "abstract as async await break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield",
  ),
  line: ["//"],
  block: ["/*", "*/"],
  quotes: ['"', "'"],
  long: ["`"],
};
const braces: Language = {
  keywords: words(
    "auto bool boolean break byte case catch chan char class const continue crate default defer delete do double else enum extends extern false final finally float fn for fun func go goto if impl implements import in int interface internal let long loop map match mod module move mut namespace new nil null nullptr object override package private protected pub public range ref return self short signed sizeof static struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using val var virtual void volatile when where while",
  ),
  line: ["//"],
  block: ["/*", "*/"],
  quotes: ['"', "'"],
  long: ["`"],
};
const python: Language = {
  keywords: words(
    "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
  ),
  line: ["#"],
  quotes: ['"', "'"],
  long: ['"""', "'''"],
};
const ruby: Language = {
  keywords: words(
    "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield",
  ),
  line: ["#"],
  quotes: ['"', "'"],
  long: [],
};
const shell: Language = {
  keywords: words(
    "case do done elif else esac export fi for function if in local return set then unset until while",
  ),
  line: ["#"],
  quotes: [],
  long: ['"', "'"],
};
const settings: Language = {
  keywords: words("true false null yes no on off"),
  line: ["#"],
  quotes: ['"', "'"],
  long: [],
};
const json: Language = { ...settings, line: ["//"], block: ["/*", "*/"], quotes: ['"'] };
const css: Language = {
  keywords: words("important"),
  line: [],
  block: ["/*", "*/"],
  quotes: ['"', "'"],
  long: [],
};
const markup: Language = { keywords: new Set(), line: [], block: ["<!--", "-->"], quotes: ['"'], long: [] };
const sql: Language = {
  keywords: words(
    "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references returning right rollback select set table then union unique update using values view when where with",
  ),
  line: ["--"],
  block: ["/*", "*/"],
  quotes: ["'"],
  long: [],
};

const endings: readonly (readonly [string, Language])[] = [
  ["js jsx mjs cjs ts tsx mts cts", script],
  ["c h cc cpp hpp cs go java kt kts rs scala swift dart php zig proto", braces],
  ["py pyi", python],
  ["rb", ruby],
  ["sh bash zsh dockerfile makefile mk", shell],
  ["yml yaml toml ini conf env cfg properties gitignore", settings],
  ["json jsonc json5 webmanifest", json],
  ["css scss less", css],
  ["html htm xml svg vue", markup],
  ["sql", sql],
];
const byEnding = new Map(
  endings.flatMap(([names, language]) => names.split(" ").map((ending) => [ending, language] as const)),
);

/**
 * Returns the language by the extension, or by the whole name if there is none (`Makefile`); undefined means that the
 * file is shown without colours.
 */
export function languageOf(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return byEnding.get(name.slice(name.lastIndexOf(".") + 1));
}
