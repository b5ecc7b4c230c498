// Finds a value after a name: `DB_PASSWORD=…`, `"apiKey": "…"`, `<token>…</token>`, `--password …`. Only the value is
// replaced.
import { isSecret } from "./judge-setting.ts";
import { nameKind } from "./names.ts";
import { colourPattern, endOf, escapeCode, isWordChar, openColour, type SecretRule } from "./rule.ts";
import { beginsLine, settingOf } from "./setting-of.ts";
import { pairedValue } from "./setting-pairs.ts";

/** Names that are longer are generated, so they do not announce secrets. */
const maxNameChars = 64;
/** The most characters between the end of a name and its value, including a type or an attribute. */
const maxBetweenChars = 80;
/** How much of a value is examined to classify it, which keeps a text full of names fast. */
const maxJudgedChars = 256;
/** A longer value is the content of a file, not a secret. */
const maxValueChars = 4_096;
/** Characters after a value that show whether its line continues. */
const afterChars = 4;
/** Characters after an `&` that show whether the next field of a query begins there. */
const fieldChars = 40;

const lineBeforeChars = 100;

/**
 * The range of letters outside ASCII: from `À` to the last one before the surrogates. Full-width punctuation, such as
 * `：`, comes after it.
 */
const firstForeign = 0xc0;
const lastForeign = 0xd7ff;
const nameRest = /[\w.\-\u00c0-\ud7ff]{0,64}/y;
/** What may close the name, followed by space: `"`, `']`, `\"`, `&quot;`, `%22`, the end of a colour. */
const lead = new RegExp(`(?:${colourPattern}){0,2}(?:\\\\{0,4}["'\`]|&quot;|%22|\\]){0,3}[ \\t]{0,40}`, "y");

/** How the text between a name and its value begins. It also matches a partial beginning at the end of the text. */
const between =
  /[=:：>,(?|+.%\\&]|s(?:$|t(?:$|r(?:$|i(?:$|n(?:$|g)))))|v(?:$|a(?:$|l(?:$|u(?:$|e(?:$|=)))))|c(?:$|o(?:$|n(?:$|t(?:$|e(?:$|n(?:$|t(?:$|=)))))))/y;
const room = "[ \\t\\xa0]{0,12}";
/** `password: |` in YAML, with the value on the next line. */
const blockSign = ":[ \\t]{0,12}[|>][+-]?\\d?[ \\t]{0,8}\\r?\\n[ \\t]{1,40}";
const operator = "(?::-|[.+?|]{0,2}(?::{0,3}={1,3}>?|[:：])|%3[AaDd]|\\\\{1,4}u003[aAdD]|&#61;)";
const separator = new RegExp(
  // Go and TypeScript write a type between name and value; XML writes attributes.
  `${blockSign}|(?:string${room}|:${room}&?[A-Za-z][\\w<>'|. \\[\\]]{0,30}?[ \\t])?${operator}${room}(?:Some\\()?|\\|[ \\t]{1,40}|(?:value|content)=|>\\s{0,24}|[,(]${room}|(?:\\|\\||\\?\\?)${room}(?=["'\`])`,
  "y",
);
const opener = /(?:[rbfuLN@$]{0,2}\\{0,4}(?:"""|'''|["'`])|&quot;|\\u0022|%22)?/y;
const quotedValue = new RegExp(`[^\\s\\0"'\`]{0,${maxJudgedChars}}`, "y");
const plain = "[^\\s\\0\"'`,;<>(){}&|";
/** An `&` belongs to the value unless the next field of a query, or an HTML entity, begins there. */
const ampersand = `&(?!quot;|amp;|[lg]t;|#|[\\w.%[\\]-]{0,${fieldChars - 2}}=)(?=${plain}])`;
const wholeValue = new RegExp(`(?:${plain}\\\\]|${ampersand}){0,${maxValueChars}}`, "y");
/** Whether an `&` belongs to the value can depend on what follows it. */
const openAmpersand = new RegExp(`(?:&${plain}]{0,${fieldChars}})?`, "y");
const plainValue = new RegExp(`(?:${plain}]|${ampersand}){0,${maxJudgedChars}}`, "y");
const codeValue = new RegExp(`${plain}]{0,${maxJudgedChars}}`, "y");
/** Between two tags, any text is a value, even one that would not count elsewhere. */
const elementValue = new RegExp(`[^\\s"'\`<>]{0,${maxJudgedChars - 1}}(?=<)`, "y");
/** Longer than any value that is examined, to tell whether more text could change it. */
const openValue = new RegExp(`[^\\s\\0"'\`<>]{0,${maxJudgedChars + fieldChars}}`, "y");
/** An expression with flags, such as `a&b`, is code and not a value. */
const flags = /^[\w$.]+(?:&[A-Za-z_$][\w$.]*|&\d+)+$/;

/** Commands that set a variable, with the value after a space. */
const environment = /(?:^|[\n\r])[ \t]*(?:ENV|set -[a-zA-Z]{1,4}|setx|setenv)[ \t]+$/;

/** A name that ends its line or its string may be the first half of a name and value pair. */
const pairEnd = /["'\n\r]/;

const openBlock = /:[ \t]{0,12}(?:[|>](?:[+-]?\d?[ \t]{0,8}\r?(?:\n[ \t]{0,40})?)?)?/y;
/** HAProxy: `insecure-password …`. Redis: `requirepass …`. */
const bareOption = /^(?:insecure-password|requirepass)$/;

export const assignment: SecretRule = (text, at, ended) => {
  const waits = (from: number, chars: number) =>
    !ended && text.length - from < chars && !text.includes("\n", from);
  const nameEnd = endOf(nameRest, text, at);
  const paired = pairEnd.test(text[nameEnd] ?? "")
    ? pairedValue(text, nameStartOf(text, at), nameEnd, ended)
    : undefined;
  if (paired) return paired;
  if (!ended && text[nameEnd] === escapeCode && openColour.test(text.slice(text.lastIndexOf(escapeCode))))
    return { holdFrom: nameEnd };
  const start = endOf(lead, text, nameEnd);
  if (!ended && start === text.length) return { holdFrom: start };
  const isApart = text[nameEnd] === " " || text[nameEnd] === "\t";
  const isBetween = endOf(between, text, start) > start;
  if (!isBetween && !isApart) return undefined;
  const nameStart = nameStartOf(text, at);
  const name = text.slice(nameStart, nameEnd);
  const lineBefore = text.slice(Math.max(0, nameStart - lineBeforeChars), nameStart);
  // `CREATE USER bob PASSWORD '…'` in SQL, `:password "…"` in Clojure.
  const isOption =
    /["']/.test(text[start] ?? "") ||
    /^--?[A-Za-z]/.test(name) ||
    environment.test(lineBefore) ||
    bareOption.test(name);
  if (!isOption && !isBetween) return undefined;
  const kind = nameKind(name);
  if (!kind || /\bpublic[ \t]$/i.test(lineBefore)) return undefined;
  if (waits(start, maxBetweenChars)) return { holdFrom: start };
  if (!ended && endOf(openBlock, text, start) === text.length) return { holdFrom: start };

  const signEnd = endOf(separator, text, start);
  if (signEnd === start && !isOption) return undefined;
  const sign = text.slice(start, signEnd).trim();
  const from = endOf(opener, text, signEnd);
  const quote = text.slice(signEnd, from);
  // A pair of strings, or the argument of a call, needs quotes.
  if ((sign === "," || sign === "(") && quote === "") return undefined;
  // `password.encode("utf-8")`: the called method is not the password.
  if (sign === "(" && !nameKind(name.slice(name.lastIndexOf(".") + 1))) return undefined;
  if (sign === "," && !/["'`;]/.test(text.slice(nameEnd, start)) && !lineBefore.endsWith("{"))
    return undefined;
  // In a table, the name is the first cell: `token | …`.
  if (sign === "|" && !/(?:^|[\n\r])[| \t]*$/.test(lineBefore)) return undefined;
  const isLine = beginsLine(lineBefore);
  if (!ended && endOf(openValue, text, from) === text.length) return { holdFrom: from };
  // `echo PASS>.done`: here a shell redirects output into a file.
  const inElement = sign === ">" ? endOf(elementValue, text, from) : from;
  if (sign === ">" && inElement === from && !/[<:"']$|&lt;$/.test(lineBefore)) return undefined;
  let end =
    inElement > from ? inElement : endOf(quote === "" && !isLine ? plainValue : quotedValue, text, from);
  if (waits(end, afterChars)) return { holdFrom: from };
  if (quote === "" && !isLine && flags.test(text.slice(from, end))) end = endOf(codeValue, text, from);

  const value = withoutClosing(text.slice(from, end), quote, isLine);
  const after = text.slice(from + value.length, from + value.length + afterChars);
  // Text that continues after a space is a sentence.
  if (quote !== "" && /^[ \t]/.test(after)) return undefined;
  const isTight = signEnd === nameEnd + 1;
  const isMarked = isOption || inElement > from;
  const setting = settingOf({ name, lineBefore, sign, quote, after, isTight, isMarked });
  if (!isSecret(kind, name, value, setting)) return undefined;
  const to = value.length < maxJudgedChars ? from + value.length : endOf(wholeValue, text, from);
  if (!ended && endOf(openAmpersand, text, to) === text.length) return { holdFrom: from };
  return { from, to, kind: kind === "password" ? "password" : "secret" };
};

function nameStartOf(text: string, at: number): number {
  let start = at;
  while (at - start < maxNameChars && isNameChar(text.charCodeAt(start - 1))) start -= 1;
  // The escape code of a match's colour ends in a letter, which does not belong to the name; nor do the file and line
  // number that `grep -C` puts before a line.
  const before = text[start - 1];
  const colour =
    before === "[" || before === ";" ? (/^\d{0,3}[mK]/.exec(text.slice(start, at))?.[0].length ?? 0) : 0;
  return start + colour + (/^[\w.@-]*-\d{1,7}-(?=[A-Za-z_]|$)/.exec(text.slice(start, at))?.[0].length ?? 0);
}

/** A letter of any language, a digit, or one of `_.-`. */
function isNameChar(code: number): boolean {
  return isWordChar(code) || code === 45 || code === 46 || (code >= firstForeign && code <= lastForeign);
}

/** The value without what closes it: an escaped quote, a line end written as `\n`, the comma of a list. */
function withoutClosing(run: string, quote: string, isLine: boolean): string {
  const [value = ""] = run.split(/\\{1,4}[nr]|\\+$|&quot;|\\u0022|%22/, 1);
  if (quote !== "") return value;
  return isLine ? value.replace(/[,;)\]}]+$/, "") : value.replace(/[.:\]]+$/, "");
}
