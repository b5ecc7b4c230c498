// Finds where a rule may begin: a table of three characters says where it is worth a look, and one regular expression,
// literal beginnings as a tree of characters, which trigger it is. Pure.
import { escaped, type RuleSet } from "./rule.ts";

interface Node {
  /** A trigger ends here. */
  whole: boolean;
  /** By the source of one character. */
  next: Map<string, Node>;
}

export interface Triggers {
  /** The first trigger at or after `from`, the longest one there; or nothing. */
  next(text: string, from: number, to?: number): { place: number; trigger: string } | undefined;
  /** The longest trigger that begins at `place`. */
  at(text: string, place: number): string | undefined;
}

/** `open`: what the text's end may be the beginning of is found as well. */
export function triggersOf(rules: RuleSet, open: boolean): Triggers {
  const tree = treeOf(rules, open);
  const table = tableOf(rules);
  const at = (text: string, place: number) => {
    tree.lastIndex = place;
    return tree.test(text) ? text.slice(place, tree.lastIndex) : undefined;
  };
  return {
    at,
    next(text, from, to = text.length) {
      const last = text.length - 2;
      let [first, second] = [text.charCodeAt(from), text.charCodeAt(from + 1)];
      for (let place = from; place < to; place++) {
        const third = text.charCodeAt(place + 2);
        if (place >= last || table[slot(first, second, third)]) {
          const trigger = at(text, place);
          if (trigger !== undefined) return { place, trigger };
        }
        first = second;
        second = third;
      }
      return undefined;
    },
  };
}

const tableSize = 1 << 16;

function slot(first: number, second: number, third: number): number {
  return (first * 1_021 + second * 127 + third) & (tableSize - 1);
}

function tableOf({ prefixes, words }: RuleSet): Uint8Array {
  const table = new Uint8Array(tableSize);
  const codes = (char: string, anyCase: boolean) =>
    anyCase ? [char.charCodeAt(0), char.toUpperCase().charCodeAt(0)] : [char.charCodeAt(0)];
  const enter = (text: string, anyCase: boolean) => {
    const thirds =
      text[2] === undefined ? Array.from({ length: 128 }, (_, code) => code) : codes(text[2], anyCase);
    for (const first of codes(text[0] ?? "", anyCase))
      for (const second of codes(text[1] ?? "", anyCase))
        for (const third of thirds) table[slot(first, second, third)] = 1;
  };
  for (const prefix of prefixes.keys()) enter(prefix, false);
  for (const word of words.keys()) enter(word, true);
  return table;
}

function treeOf({ prefixes, words }: RuleSet, open: boolean): RegExp {
  const root: Node = { whole: false, next: new Map() };
  for (const prefix of prefixes.keys()) add(root, [...prefix].map(escaped));
  for (const word of words.keys()) add(root, [...word].map(anyCase));
  return new RegExp(sourceOf(root, open, true), "y");
}

function add(root: Node, chars: readonly string[]): void {
  let node = root;
  for (const char of chars) {
    const next: Node = node.next.get(char) ?? { whole: false, next: new Map() };
    node.next.set(char, next);
    node = next;
  }
  node.whole = true;
}

function anyCase(char: string): string {
  const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
  return lower === upper ? escaped(char) : `[${lower}${upper}]`;
}

/** The longest trigger first. */
function sourceOf({ whole, next }: Node, open: boolean, isRoot = false): string {
  const ways = [...next].map(([char, node]) => char + sourceOf(node, open));
  if (ways.length === 0) return "";
  if (whole) ways.push("");
  else if (open && !isRoot) ways.push("$");
  return ways.length === 1 ? (ways[0] ?? "") : `(?:${ways.join("|")})`;
}
