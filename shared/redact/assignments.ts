// A value after a name: `DB_PASSWORD=…`, `"apiKey": "…"`, `<token>…</token>`, `--password …`. Only the value is replaced.
import { isSecret, type Setting } from "./judge-setting.ts";
import { nameKind } from "./names.ts";
import { endOf, isWordChar, type Rule } from "./rule.ts";

/** Longer names are generated ones. */
const maxNameChars = 64;
/** From the end of a name to its value, with a type or an attribute in between. */
const maxBetweenChars = 80;
/** How much of a value is read to tell what it is: a text that is full of names stays cheap. */
const maxJudgedChars = 256;
/** Longer values are files. */
const maxValueChars = 4_096;
/** After a value: whether its line goes on. */
const afterChars = 4;

const nameRest = /[\w.-]{0,64}/y;
/** Closes the name, then room: `"`, `']`, `\"`, `&quot;`. */
const lead = /(?:\\{0,4}["'`]|&quot;|\]){0,3}[ \t]{0,24}/y;
/** What stands between a name and its value begins so; an end of the text may be the beginning of it. */
const between =
  /[=:>,(?|+.%\\&]|s(?:$|t(?:$|r(?:$|i(?:$|n(?:$|g)))))|v(?:$|a(?:$|l(?:$|u(?:$|e=))))|c(?:$|o(?:$|n(?:$|t(?:$|e(?:$|nt=)))))/y;
const room = "[ \\t]{0,12}";
const operator = "(?:[.+?|]{0,2}(?::{0,3}={1,3}>?|:)|%3[AaDd]|\\\\{1,4}u003[aAdD]|&#61;)";
const separator = new RegExp(
  // Go and TypeScript name the type in between; XML has attributes.
  `(?:string${room}|:${room}&?[A-Za-z][\\w<>'|. \\[\\]]{0,30}?[ \\t])?${operator}${room}|(?:value|content)=|>\\s{0,24}|[,(]${room}`,
  "y",
);
const opener = /(?:[rbfuL@$]{0,2}\\{0,4}["'`]|&quot;|\\u0022|%22)?/y;
const quotedValue = new RegExp(`[^\\s"'\`]{0,${maxJudgedChars}}`, "y");
const wholeValue = new RegExp(`[^\\s"'\`,;<>(){}&|\\\\]{0,${maxValueChars}}`, "y");
const plainValue = new RegExp(`[^\\s"'\`,;<>(){}&|]{0,${maxJudgedChars}}`, "y");

/** A setting has a line of its own: in `.env`, YAML, a script, a Dockerfile, compose, or a difference of them. */
const lineStart =
  /(?:^|[\n\r])[ \t+>-]*(?:(?:export|set|setx|ENV|ARG|env|declare -x|-e|--env|--build-arg|Environment=)[ \t]+)*["']?$/;
const environment = /(?:^|[\n\r])[ \t]*ENV[ \t]+$/;

export const assignment: Rule = (text, at, ended) => {
  const waits = (from: number, chars: number) =>
    !ended && text.length - from < chars && !text.includes("\n", from);
  const nameEnd = endOf(nameRest, text, at);
  if (!ended && nameEnd === text.length) return { holdFrom: nameEnd };
  const start = endOf(lead, text, nameEnd);
  if (!ended && start === text.length) return { holdFrom: start };
  const isApart = text[nameEnd] === " " || text[nameEnd] === "\t";
  const isBetween = endOf(between, text, start) > start;
  if (!isBetween && !isApart) return undefined;
  const nameStart = nameStartOf(text, at);
  const name = text.slice(nameStart, nameEnd);
  const lineBefore = text.slice(Math.max(0, nameStart - 48), nameStart);
  const isOption = isApart && (/^--?[A-Za-z]/.test(name) || environment.test(lineBefore));
  if (!isOption && !isBetween) return undefined;
  // Cheaper looks come first where the whole text is there.
  if (!ended && !nameKind(name)) return undefined;
  if (waits(start, maxBetweenChars)) return { holdFrom: start };

  const signEnd = endOf(separator, text, start);
  if (signEnd === start && !isOption) return undefined;
  const sign = text.slice(start, signEnd).trim();
  const from = endOf(opener, text, signEnd);
  const quote = text.slice(signEnd, from);
  // A pair of strings, or the argument of a call.
  if ((sign === "," || sign === "(") && quote === "") return undefined;
  const kind = nameKind(name);
  if (!kind) return undefined;
  // `password.encode("utf-8")`: what is called is not the password.
  if (sign === "(" && !nameKind(name.slice(name.lastIndexOf(".") + 1))) return undefined;
  if (sign === "," && !/["'`;]/.test(text.slice(nameEnd, start))) return undefined;
  const isLine = quote === "" && lineStart.test(lineBefore) && sign !== ">";
  const end = endOf(quote === "" && !isLine ? plainValue : quotedValue, text, from);
  if (waits(end, afterChars) && end - from < maxJudgedChars) return { holdFrom: from };

  const value = withoutClosing(text.slice(from, end), quote, isLine);
  const after = text.slice(from + value.length, from + value.length + afterChars);
  // Words with room between them are a sentence.
  if (quote !== "" && /^[ \t]/.test(after)) return undefined;
  let setting: Setting = quote !== "" ? "quoted" : "code";
  if (isLine && /^(?:[ \t]*(?:$|[\r\n])|[ \t]+#)/.test(after)) {
    const isTight = sign === "=" && !/\s/.test(text.slice(nameEnd, from));
    setting = isTight || (/^[A-Z\d_]+$/.test(name) && sign !== "=") ? "set" : "line";
  } else if (isLine && sign === "=" && from === nameEnd + 1 && /^[A-Z\d_]+$/.test(name)) {
    // Before a command, in a shell.
    setting = "set";
  } else if (quote === "" && (isOption || /[;?&"']$/.test(lineBefore))) setting = "field";
  if (!isSecret(kind, name, value, setting)) return undefined;
  const to = value.length < maxJudgedChars ? from + value.length : endOf(wholeValue, text, from);
  if (!ended && to === text.length && to - from < maxValueChars) return { holdFrom: from };
  return { from, to, kind: kind === "password" ? "password" : "secret" };
};

function nameStartOf(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < maxNameChars && isNameChar(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

/** A letter, a digit, or one of `_.-`. */
function isNameChar(code: number): boolean {
  return isWordChar(code) || code === 45 || code === 46;
}

/** Without what closes it: an escaped quote, a written line end, the comma of a list. */
function withoutClosing(run: string, quote: string, isLine: boolean): string {
  const [value = ""] = run.split(/\\{1,4}[nr]|\\+$|&quot;|\\u0022|%22/, 1);
  if (quote !== "") return value;
  return isLine ? value.replace(/[,;)\]}]+$/, "") : value.replace(/[.:\]]+$/, "");
}
