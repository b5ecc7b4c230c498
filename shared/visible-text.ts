// Text in which nothing hides: characters that are invisible, reorder others, or push text out of sight are replaced by
// marks. Pure. Look-alike letters of different scripts are out of scope.

/** Spaces or tabs in a row that still show as a gap: about a line of code type on a phone. */
const maxBlanks = 40;
/** Line ends in a row; more of them push what follows below the edge of a card. */
const maxLineEnds = 5;
/** Combining marks on one letter: pointed and cantillated Hebrew has four; more of them paint over their neighbours. */
const maxCombining = 4;

/**
 * What has no shape of its own: controls, format characters, surrogates without a partner, private use, unassigned (C);
 * what Unicode says is drawn as nothing (DI: fillers, variation selectors, joiners); separators and spaces (Z); and
 * three that fonts draw empty although no property says so. Not the space, the tab and the line end.
 */
const unseen = String.raw`(?![ \n\t])[\p{C}\p{DI}\p{Z}\u2800\ufffc\u{1d159}]`;
const combining = String.raw`[\p{Mn}\p{Me}]`;
const emoji = String.raw`(?!\p{Cn})\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?`;
/** RFC 5892 A.1: these make the next letter's form depend on a joiner (Indic scripts: their viramas). */
const virama = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039]`;
/** Letters of Arabic script that join to what follows, so that a non-joiner after one shows. */
const joining = String.raw`[\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u067e\u0686\u06a9\u06af\u06be\u06cc]`;

/** The parts of a text that are not simply shown. Order matters: the first that fits is taken. */
const parts: readonly (readonly [name: string, pattern: string])[] = [
  [
    "emoji",
    String.raw`\u{1f3f4}[\u{e0061}-\u{e007a}]{5}\u{e007f}|${emoji}(?:\u200d${emoji})*|[0-9#*]\ufe0f\u20e3`,
  ],
  [
    "joiner",
    String.raw`(?<=(?!${unseen})\p{Lo}\p{M}{0,2}${virama})[\u200c\u200d]|(?<=${joining})\u200c(?=\p{Script=Arabic})`,
  ],
  // How a mark begins, even if the rest of it is in another element.
  ["opener", String.raw`[\u27e8\u2329\u3008](?=U\+|U?$|\d+ |\d*$)`],
  ["lines", String.raw`\n(?:[ \t]*\n){${maxLineEnds},}`],
  ["blanks", String.raw`[ \t]{${maxBlanks + 1},}`],
  ["unseen", unseen],
  [
    "stacked",
    `(?<=${combining}{${maxCombining}})${combining}|(?<=(?:^|[ \\n\\t]|${unseen})${combining}{0,${maxCombining}})${combining}`,
  ],
];
/** What does not fit into one line: tabs, line ends, spaces at its edges. */
const outOfLine: typeof parts = [["edges", String.raw`^[ \t\n]+|[ \t\n]+$|[\t\n]+`]];
/** One character that Unicode holds to be another one: U+037E is drawn as `;`, U+1FEF as a backtick. */
const other: typeof parts = [["other", String.raw`[\u0080-\u{10ffff}]`]];

const patternOf = (all: typeof parts) =>
  new RegExp(all.map(([name, pattern]) => `(?<${name}>${pattern})`).join("|"), "gu");
const inText = { plain: patternOf(parts), odd: patternOf([...parts, ...other]) };
const inLine = {
  plain: patternOf([...outOfLine, ...parts]),
  odd: patternOf([...outOfLine, ...parts, ...other]),
};

/** One quick look that spares most texts the rest: nothing here can be a part, unless a character is another one. */
const suspicious = new RegExp(
  String.raw`${unseen}|${combining}|[\u27e8\u2329\u3008]|[ \t]{${maxBlanks + 1}}|(?:\n[ \t]*){${maxLineEnds + 1}}`,
  "u",
);
const lineEnds = new RegExp(`\n{${maxLineEnds + 1},}`, "g");
const suspiciousLine = /[\t\n]|^ | $/;

/** What joins or changes emoji. */
const joints = /[\u200d\ufe0f\u{e0061}-\u{e007f}]/gu;
const hasJoint = new RegExp(joints, "u");

/** One emoji with text as its default, plus the selector that makes it a picture; and keycaps. */
const onePicture = /^(?:(?![0-9#*\p{Emoji_Presentation}])\p{Emoji}\ufe0f|[0-9#*]\ufe0f\u20e3)$/u;

/** Made when the first joined sequence is met: V8 takes 100 ms for the list, twice that for all of RGI_Emoji. */
let joined: RegExp | "unknown" | undefined;

/** Whether Unicode recommends this sequence. An engine too old for properties of strings knows none that are joined. */
function isRecommended(sequence: string): boolean {
  if (onePicture.test(sequence)) return true;
  joined ??= joinedSequences("v");
  return joined !== "unknown" && joined.test(sequence);
}

/** `flag`: not written as a literal, which would be a syntax error in such an engine. */
function joinedSequences(flag: string): RegExp | "unknown" {
  try {
    return new RegExp(String.raw`^(?:\p{RGI_Emoji_ZWJ_Sequence}|\p{RGI_Emoji_Tag_Sequence})$`, flag);
  } catch {
    return "unknown";
  }
}

/**
 * `text` with `⟨U+202E⟩` for each invisible character, `⟨400 spaces⟩` for runs that push text out of sight. No two texts
 * have the same result: a bracket in the text itself that would begin a mark becomes `⟨U+27E8⟩`. Unchanged: emoji
 * sequences that Unicode recommends (RGI), and joiners that change the form of letters. `line`: for names and titles, in
 * which tabs, line ends and spaces at the edges count as hidden too.
 */
export function visibleText(text: string, shape: "text" | "line" = "text"): string {
  const pattern = patternFor(text, shape);
  return pattern === undefined ? text : text.replace(pattern, (...args) => shown(found(args)));
}

/** What `visibleText` would mark, without brackets and each once: `["U+202E", "400 spaces"]`. Empty = all of it shows. */
export function hiddenIn(text: string): string[] {
  const pattern = patternFor(text, "text");
  if (pattern === undefined) return [];
  const names = [...text.matchAll(pattern)].flatMap(({ groups }) => {
    const part = found([groups]);
    return part.name === "opener" ? [] : namesOf(shown(part));
  });
  return [...new Set(names)];
}

/** Undefined if all of `text` shows. */
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

/** Which of `parts` a match is. `args`: those of `replace`, named groups last. */
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
