// `((a + $b))` and `$((a + $b))`: bash and dash calculate, and run nothing but the substitutions inside.
import { closingBacktick, closingBracket } from "./shell-span.ts";

/** What numbers, names and operators are made of, the substitutions aside. */
const expression = /^[\w\s$+\-*/%<>=!&|^~?:,()[\]#.]*$/;
/** `rm x`, `rm $x`: two operands without an operator. Bash would refuse it; other shells may run it. */
const adjacent = /\w\s+[\w$]/;

/** The text between `((` at `at` and the `))` that closes it, where it can only be calculated; else undefined. */
export function arithmeticAt(source: string, at: number): string | undefined {
  if (source[at] !== "(" || source[at + 1] !== "(") return undefined;
  const end = closingBracket(source, at + 1);
  if (end < 0 || source[end + 1] !== ")") return undefined;
  const text = source.slice(at + 2, end);
  const plain = withoutSubstitutions(text);
  return plain !== undefined && expression.test(plain) && !adjacent.test(plain) ? text : undefined;
}

/** `text` with a `0` for each substitution; undefined where one does not close. */
function withoutSubstitutions(text: string): string | undefined {
  let plain = "";
  for (let at = 0; at < text.length; at += 1) {
    const next = text[at + 1];
    const opens = text[at] === "$" && (next === "(" || next === "{");
    if (!opens && text[at] !== "`") {
      plain += text[at];
      continue;
    }
    at = opens ? closingBracket(text, at + 1) : closingBacktick(text, at);
    if (at < 0) return undefined;
    plain += "0";
  }
  return plain;
}
