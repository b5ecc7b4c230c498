// Decides how a value is written, from the text around its name and from the sign between the two. Pure.
import type { Setting } from "./judge-setting.ts";

/** The name is the argument of an environment lookup, so a default value follows, as in `env("NAME", "default")`. */
const lookup = /(?:\benv|getenv|environ\.get|environ\.setdefault|ENV\.fetch)\(["']$/i;

/**
 * The beginning of a line that contains one setting: in `.env`, YAML, a script, a Dockerfile, compose, a diff, or the
 * results of a search through them.
 */
const lineStart =
  /(?:^|[\n\r\0])(?:[\w./@-]{1,60}[:-]\d{1,7}[:-])?[ \t+>-]*(?:(?:export|set|setx|setenv|set -[a-zA-Z]{1,4}|ENV|ARG|env|declare -x|-e|--build-arg)[ \t]+|Environment=[ \t]*)*["']?$/;
/** Before a variable in the middle of a line: an option of docker, or another variable. */
const variable = /(?:[ \t]-e|--env|--build-arg|ENV|set)[ \t]+$|(?:^|[\s"'=])[A-Z\d_]+=\S*[ \t]$/;
/** Before a field that no comma parts from the one before: `user=bob password=…`, `User:bob Password:…`. */
const field = /[\w"'](?:=[^\s,;(){}]*|:[^\s,;(){}]+)[ \t]$/;

/** The end of such a line, which may have a comment. */
const lineEnd = /^(?:[ \t]*(?:$|[\r\n\0])|[ \t]+#)/;
/** What a field begins after: in a URL, a string or a shell's `${…:-`, or alone in brackets. */
const fieldStart = /[;?&"']$|\$\{$|(?:^|[\n\r])[ \t]*\[$/;

interface ValuePlace {
  name: string;
  lineBefore: string;
  sign: string;
  quote: string;
  after: string;
  /** Nothing but the sign is between name and value. */
  isTight: boolean;
  /** An option of a command, or the content of an element. */
  isMarked: boolean;
}

export function beginsLine(lineBefore: string): boolean {
  return lineStart.test(lineBefore);
}

export function settingOf({ name, lineBefore, sign, quote, after, isTight, isMarked }: ValuePlace): Setting {
  const isLine = beginsLine(lineBefore);
  const isVariable = /^[A-Z\d_]+$/.test(name);
  // `NAME=value`, also before a command in a shell.
  if (isVariable && isTight && sign === "=" && (isLine || variable.test(lineBefore))) return "set";
  if (lookup.test(lineBefore)) return "set";
  if (quote !== "") return "quoted";
  if (isLine && lineEnd.test(after))
    return (isTight && sign === "=") || (isVariable && sign !== "=") ? "set" : "line";
  return isMarked || fieldStart.test(lineBefore) || (isTight && field.test(lineBefore)) ? "field" : "code";
}
