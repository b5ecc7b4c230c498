// Finds where a rule may begin: a table of three characters says where it is worth a look, and two trees of literal
// texts which rules those are. Most places of a text cost one look at the table. Pure.
import { beginsWord, mayBeginWord, isWordChar, type Rule, type RuleSet } from "./rule.ts";
import { Trie } from "./trie.ts";

/** A place where rules may begin. */
export interface Trigger {
  place: number;
  prefix: Rule | undefined;
  word: Rule | undefined;
  /**
   * The text ends within a trigger: of a token, which is not to be shown before it is clear, or of a word, after which
   * alone something is hidden.
   */
  open: "token" | "word" | undefined;
}

export interface Triggers {
  /**
   * The first trigger from `from` to before `to`. `wordAt`: a place that begins a word whatever comes before. `ended`:
   * what the text's end may be the beginning of is none.
   */
  next(text: string, from: number, to: number, ended: boolean, wordAt: number): Trigger | undefined;
  /** The rule of the prefix at `place`, wherever it is in a word. */
  prefixAt(text: string, place: number): Rule | undefined;
}

/** No trigger is longer: nearer to its end, a text may end within one. */
function longest(texts: Iterable<string>): number {
  let chars = 0;
  for (const text of texts) chars = Math.max(chars, text.length);
  return chars;
}

export function triggersOf({ prefixes, words, inWord }: RuleSet): Triggers {
  const all = [...prefixes];
  const anywhere = new Trie(new Map(all.filter(([prefix]) => isAnywhere(prefix))), false);
  const atWords = new Trie(new Map(all.filter(([prefix]) => !isAnywhere(prefix))), false);
  const named = new Trie(words, true);
  const table = tableOf(prefixes.keys(), words.keys(), isAnywhere);
  const maxChars = longest([...prefixes.keys(), ...words.keys()]);

  /** Signs begin anywhere. */
  function isAnywhere(prefix: string): boolean {
    return inWord(prefix) || !isWordChar(prefix.charCodeAt(0));
  }

  /** `looks`: at which of the trees. */
  function triggerAt(text: string, place: number, looks: number, ended: boolean, wordAt: number) {
    const begins = (looks & atWord) !== 0 && (place === wordAt || beginsWord(text, place));
    const prefix =
      (begins ? atWords.valueAt(text, place) : undefined) ??
      (looks & inside ? anywhere.valueAt(text, place) : undefined);
    const word = looks & name ? named.valueAt(text, place) : undefined;
    let open: "token" | "word" | undefined;
    if (!ended && text.length - place <= maxChars) {
      if ((begins && atWords.isOpenAt(text, place)) || anywhere.isOpenAt(text, place)) open = "token";
      else if (named.isOpenAt(text, place)) open = "word";
    }
    return prefix || word || open ? { place, prefix, word, open } : undefined;
  }

  return {
    next(text, from, to, ended, wordAt) {
      const last = Math.min(to, text.length - 2);
      for (let place = from; place < to; place++) {
        if (place < last) place = nextLook(table, text, place, last, wordAt);
        // The last two characters are too few for the table.
        const looks = place < last ? lookAt(table, text, place) : place < to ? atWord | inside | name : 0;
        const trigger = looks === 0 ? undefined : triggerAt(text, place, looks, ended, wordAt);
        if (trigger) return trigger;
      }
      return undefined;
    },
    prefixAt: (text, place) => atWords.valueAt(text, place) ?? anywhere.valueAt(text, place),
  };
}

/** What a table says of three characters: which trees have a text that begins so. */
const atWord = 1;
const inside = 2;
const name = 4;

const tableSize = 1 << 18;

/** Of three characters, one after the other: what came before them is shifted out. */
function hashed(before: number, code: number): number {
  return ((before << 6) ^ code) & 0x3ffff;
}

/**
 * The first place from `from` to before `to` that is worth a look; `to` where there is none. This loop is what text
 * without secrets costs.
 */
function nextLook(table: Uint8Array, text: string, from: number, to: number, wordAt: number): number {
  let three = hashed(text.charCodeAt(from), text.charCodeAt(from + 1));
  let place = from;
  for (; place < to; place++) {
    three = ((three << 6) ^ text.charCodeAt(place + 2)) & 0x3ffff;
    const looks = table[three];
    if (looks !== 0 && (looks !== atWord || place === wordAt || mayBeginWord(text, place))) break;
  }
  return place;
}

function lookAt(table: Uint8Array, text: string, place: number): number {
  const two = hashed(text.charCodeAt(place), text.charCodeAt(place + 1));
  return table[hashed(two, text.charCodeAt(place + 2))] ?? 0;
}

function tableOf(
  prefixes: Iterable<string>,
  words: Iterable<string>,
  isAnywhere: (prefix: string) => boolean,
): Uint8Array {
  const table = new Uint8Array(tableSize);
  const codes = (char: string, anyCase: boolean) =>
    anyCase ? [char.charCodeAt(0), char.toUpperCase().charCodeAt(0)] : [char.charCodeAt(0)];
  const enter = (text: string, look: number) => {
    const anyCase = look === name;
    const thirds =
      text[2] === undefined ? Array.from({ length: 128 }, (_, code) => code) : codes(text[2], anyCase);
    for (const first of codes(text[0] ?? "", anyCase))
      for (const second of codes(text[1] ?? "", anyCase))
        for (const third of thirds) {
          const slot = hashed(hashed(first, second), third);
          table[slot] = (table[slot] ?? 0) | look;
        }
  };
  for (const prefix of prefixes) enter(prefix, isAnywhere(prefix) ? inside : atWord);
  for (const word of words) enter(word, name);
  return table;
}
