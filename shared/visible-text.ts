// Makes hidden parts of a text visible: marks replace characters that are invisible, that reorder others, or that push
// text out of sight. Pure. Letters of other scripts that look alike are out of scope.

/** The most consecutive spaces or tabs that still look like a gap: about one line of code on a phone. */
const maxBlanks = 40;
/** The most consecutive line ends; more would push the text after them below the edge of a card. */
const maxLineEnds = 5;
/**
 * The most combining marks on one letter. Pointed and cantillated Hebrew has four; more marks cover neighbouring
 * letters.
 */
const maxCombining = 4;

/**
 * Characters that are not drawn: controls, format characters, lone surrogates, private use and unassigned (C);
 * default-ignorable ones such as fillers, variation selectors and joiners (DI); separators and spaces (Z); and three
 * that fonts draw empty although no property says so. Space, tab and line end are excepted.
 */
const unseen = String.raw`(?![ \n\t])[\p{C}\p{DI}\p{Z}\u2800\ufffc\u{1d159}]`;
const combining = String.raw`[\p{Mn}\p{Me}]`;
const emoji = String.raw`(?!\p{Cn})\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?`;
/** RFC 5892 A.1: after these viramas of Indic scripts, a joiner changes the form of the next letter. */
const virama = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039]`;
/** Letters of Arabic script that connect to the next letter, so that a non-joiner after one is visible. */
const joining = String.raw`[\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u067e\u0686\u06a9\u06af\u06be\u06cc]`;

/** The parts of a text that need a mark or a closer look. The order matters: the first pattern that matches is used. */
const parts: readonly (readonly [name: string, pattern: string])[] = [
  [
    "emoji",
    String.raw`\u{1f3f4}[\u{e0061}-\u{e007a}]{5}\u{e007f}|${emoji}(?:\u200d${emoji})*|[0-9#*]\ufe0f\u20e3`,
  ],
  [
    "joiner",
    String.raw`(?<=(?!${unseen})\p{Lo}\p{M}{0,2}${virama})[\u200c\u200d]|(?<=${joining})\u200c(?=\p{Script=Arabic})`,
  ],
  // The beginning of a mark, even if the rest of it is in another element.
  ["opener", String.raw`[\u27e8\u3008](?=U\+|U?$|\d+ |\d*$)`],
  ["lines", String.raw`\n(?:[ \t]*\n){${maxLineEnds},}`],
  ["blanks", String.raw`[ \t]{${maxBlanks + 1},}`],
  ["unseen", unseen],
  [
    "stacked",
    `(?<=${combining}{${maxCombining}})${combining}|(?<=(?:^|[ \\n\\t]|${unseen})${combining}{0,${maxCombining}})${combining}`,
  ],
];
/** Characters that do not belong in a single line: tabs, line ends, spaces at its edges. */
const outOfLine: typeof parts = [["edges", String.raw`^[ \t\n]+|[ \t\n]+$|[\t\n]+`]];
/** A character that Unicode normalises to another one: U+037E is drawn as `;`, U+1FEF as a backtick. */
const other: typeof parts = [["other", String.raw`[\u0080-\u{10ffff}]`]];

const patternOf = (all: typeof parts) =>
  new RegExp(all.map(([name, pattern]) => `(?<${name}>${pattern})`).join("|"), "gu");
const inText = { plain: patternOf(parts), odd: patternOf([...parts, ...other]) };
const inLine = {
  plain: patternOf([...outOfLine, ...parts]),
  odd: patternOf([...outOfLine, ...parts, ...other]),
};

/**
 * A quick test that spares most texts the slower patterns. If it finds nothing, no part can match, except characters
 * that Unicode normalises to another one.
 */
const suspicious = new RegExp(
  String.raw`${unseen}|${combining}|[\u27e8\u3008]|[ \t]{${maxBlanks + 1}}|(?:\n[ \t]*){${maxLineEnds + 1}}`,
  "u",
);
const lineEnds = new RegExp(`\n{${maxLineEnds + 1},}`, "g");
const suspiciousLine = /[\t\n]|^ | $/;

/** Characters that join or change emoji. */
const joints = /[\u200d\ufe0f\u{e0061}-\u{e007f}]/gu;
const hasJoint = new RegExp(joints, "u");

/** An emoji that is text by default, followed by the selector that makes it a picture; also keycaps. */
const onePicture = /^(?:(?!\p{Emoji_Presentation})\p{Emoji}\ufe0f|[0-9#*]\ufe0f\u20e3)$/u;

/**
 * Built when the first joined sequence occurs, because V8 takes 100 ms for this list and twice that for all of
 * RGI_Emoji.
 */
let joined: RegExp | "unknown" | undefined;

/**
 * Whether Unicode recommends this sequence. JavaScript engines without properties of strings recognise no joined ones.
 */
function isRecommended(sequence: string): boolean {
  if (onePicture.test(sequence)) return true;
  joined ??= joinedSequences("v");
  return joined !== "unknown" && joined.test(sequence);
}

/** `flag` is passed in, because as a literal it would be a syntax error in such engines. */
function joinedSequences(flag: string): RegExp | "unknown" {
  try {
    return new RegExp(String.raw`^(?:\p{RGI_Emoji_ZWJ_Sequence}|\p{RGI_Emoji_Tag_Sequence})$`, flag);
  } catch {
    return "unknown";
  }
}

/**
 * `text` with a mark such as `⟨U+202E⟩` in place of each invisible character, and `⟨400 spaces⟩` for runs that push
 * text out of sight. Different texts always have different results: a bracket in the text that could begin a mark
 * becomes `⟨U+27E8⟩`. Recommended emoji sequences (RGI) and joiners that change the form of letters are not marked.
 * `line`: for names and titles, in which tabs, line ends and spaces at the edges are marked too.
 */
export function visibleText(text: string, shape: "text" | "line" = "text"): string {
  const pattern = patternFor(text, shape);
  return pattern === undefined ? text : text.replace(pattern, (...args) => shown(found(args)));
}

/**
 * The marks that `visibleText` would make, without brackets and without repetition: `["U+202E", "400 spaces"]`. Empty =
 * all of it is visible.
 */
export function hiddenIn(text: string): string[] {
  const pattern = patternFor(text, "text");
  if (pattern === undefined) return [];
  const names = [...text.matchAll(pattern)].flatMap(({ groups }) => {
    const part = found([groups]);
    return part.name === "opener" ? [] : namesOf(shown(part));
  });
  return [...new Set(names)];
}

/** The pattern that `text` needs; undefined if all of it is visible. */
function patternFor(text: string, shape: "text" | "line"): RegExp | undefined {
  const patterns = shape === "line" ? inLine : inText;
  if (text.normalize("NFC") !== text) return patterns.odd;
  const looks = suspicious.test(text) || (shape === "line" && suspiciousLine.test(text));
  return looks ? patterns.plain : undefined;
}

interface HiddenPart {
  name: string;
  text: string;
}

/** Which of `parts` matched. `args`: the arguments of a replace callback, with the named groups last. */
function found(args: readonly unknown[]): HiddenPart {
  const groups = Object.entries(args.at(-1) ?? {});
  const [name = "", text = ""] = groups.find(([, value]) => value !== undefined) ?? [];
  return { name, text: String(text) };
}

function shown({ name, text }: HiddenPart): string {
  switch (name) {
    case "emoji":
      return !hasJoint.test(text) || isRecommended(text) ? text : text.replace(joints, markOf);
    case "joiner":
      return text;
    case "lines":
      return blankMarks(text).replace(lineEnds, (run) => `\n⟨${run.length} line ends⟩\n`);
    case "blanks":
      return blankMarks(text);
    case "edges":
      return text.replace(/ +|[\t\n]/g, (run) => (run[0] === " " ? blankMarks(run) : markOf(run)));
    case "other": {
      const same = text.normalize("NFC");
      return same === text || [...same].length > 1 ? text : markOf(text);
    }
    default:
      return markOf(text);
  }
}

function blankMarks(text: string): string {
  return text.replace(/ +|\t+/g, (run) => {
    const name = run[0] === " " ? "space" : "tab";
    return `⟨${run.length} ${name}${run.length === 1 ? "" : "s"}⟩`;
  });
}

function markOf(char: string): string {
  return `⟨${codeOf(char)}⟩`;
}

function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function namesOf(marked: string): string[] {
  return [...marked.matchAll(/⟨([^⟩]*)⟩/g)].map(([, name = ""]) => name);
}
