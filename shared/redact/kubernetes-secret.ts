// Finds the values of a Kubernetes secret, whatever their names: base64 below `data:` if `kind: Secret` is near, and
// any text below `stringData:`. Reads YAML and JSON, in the order of kubectl (`data` first) or of a person (`kind`
// first).
import { isMixed, isOwnWord } from "./judge-value.ts";
import { type FoundSecret, lookBehindChars, type SecretRule } from "./rule.ts";

/** A secret may hold 1 MiB; this is enough for a certificate and its key. A stream never holds back more. */
const maxBlockChars = 16_384;
/** The most characters from the end of `data` to `kind`: room for a line or two in between. */
const aheadChars = 120;

const begin = /["']?:[ \t]*(?:\r?\n|\{)/y;
const kindBefore = /\bkind["']?:[ \t]*["']?secret\b(?![\s\S]*\n---)/i;
const kindAfter = /^[\s,}]*(?:(?!---)\S[^\n]{0,60}[\n,]\s*)?["']?kind["']?:[ \t]*["']?secret\b/i;
const name = "(?<![\\w.[-])[\\w.-]{1,253}[\"']?:[ \\t]*";
const encoded = new RegExp(`${name}(?:[|>]-?\\s{1,64})?["']?([A-Za-z0-9+/]{6,}={0,2})(?=["',}\\s]|$)`, "g");
const written = new RegExp(`${name}["']?([^\\s"'{}]{6,256})(?=["']?[ \\t]*(?:[,}\\r\\n]|$))`, "g");

/** `at`: where `data` or `stringData` begins. */
export const kubernetesSecret: SecretRule = (text, at, ended) => {
  const isPlain = text[at] === "s";
  const nameEnd = at + (isPlain ? "stringdata" : "data").length;
  begin.lastIndex = nameEnd;
  if (!begin.test(text))
    return !ended && /^["']?:?[ \t]*\r?$/.test(text.slice(nameEnd)) ? { holdFrom: nameEnd } : undefined;
  const from = begin.lastIndex;
  const before = text.slice(Math.max(0, at - lookBehindChars), at);
  const isJson = text[from - 1] === "{";
  const indent = (isJson ? /["'{,\s]$/ : /(?:^|[\n\r])[ \t-]*$/)
    .exec(before)?.[0]
    .replace(/[\n\r]/, "").length;
  if (indent === undefined) return undefined;
  const rest = text.slice(from, from + maxBlockChars);
  // A mark `[redacted: …]` ends no block: the text in its place ended none.
  const length = isJson ? rest.search(/[{}]|\[(?!r|$)/) : endOfBlock(rest, indent);
  if (!ended && length < 0 && rest.length < maxBlockChars) return { holdFrom: from };
  const block = length < 0 ? rest : rest.slice(0, length);
  if (!isPlain && !kindBefore.test(before)) {
    const after = text.slice(from + block.length, from + block.length + aheadChars);
    if (!ended && after.length < aheadChars) return { holdFrom: from };
    if (!kindAfter.test(after)) return undefined;
  }
  const [first, ...more] = valuesIn(block, from, isPlain);
  return first && { ...first, more };
};

/** The index of the first line that is indented no deeper than `indent`; -1 if there is none. */
function endOfBlock(text: string, indent: number): number {
  for (let at = 0; at < text.length; at = text.indexOf("\n", at) + 1 || text.length) {
    const depth = /[^ \t]/.exec(text.slice(at, at + indent + 1))?.index ?? indent + 1;
    if (depth <= indent && /[^\s]/.test(text[at + depth] ?? "")) return at;
  }
  return -1;
}

function valuesIn(block: string, from: number, isPlain: boolean): FoundSecret[] {
  return [...block.matchAll(isPlain ? written : encoded)].flatMap(({ 0: whole, 1: value = "", index }) => {
    const at = from + index + whole.length - value.length;
    const isOne = !isPlain || (isMixed(value) && isOwnWord(value, 6));
    return isOne ? [{ from: at, to: at + value.length, kind: "secret" }] : [];
  });
}
