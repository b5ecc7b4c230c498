// Finds the places where a rule may begin. A table of three characters tells which places are worth examining, and two
// trees of literal texts tell which rules those are. Most places of a text cost one lookup. Pure.
import { type Glance, glanceOf } from "./glance.ts";
import { beginsWord, isWordChar, mayBeginWord, type RuleSet, type SecretRule } from "./rule.ts";
import { atWord, endSlot, endsOf, hashed, inside, name, none, tableOf } from "./tables.ts";
import { Trie } from "./trie.ts";

/** A place at which rules may begin. */
export interface Trigger {
  place: number;
  prefix: SecretRule | undefined;
  word: SecretRule | undefined;
  /**
   * Set if the text ends inside a trigger. The beginning of a token must not be shown before it is clear; a word can be
   * shown, because only text after it is hidden.
   */
  open: "token" | "word" | undefined;
}

export interface Triggers {
  /**
   * The first trigger from `from` to before `to`. `wordAt`: a place at which a word begins whatever comes before it.
   * `ended`: no more text follows, so incomplete triggers at the end do not count.
   */
  next(text: string, from: number, to: number, ended: boolean, wordAt: number): Trigger | undefined;
  /** A new checker for the pieces of one stream. */
  glance(): Glance;
  /** The rule for the prefix at `place`, even in the middle of a word. */
  prefixAt(text: string, place: number): SecretRule | undefined;
}

/** The length of the longest trigger. A text can end inside a trigger only within this distance of its end. */
function longest(texts: Iterable<string>): number {
  let chars = 0;
  for (const text of texts) chars = Math.max(chars, text.length);
  return chars;
}

export function triggersOf({ prefixes, words, inWord }: RuleSet): Triggers {
  const all = [...prefixes];
  const anywhere = new Trie(new Map(all.filter(([prefix]) => isAnywhere(prefix))), false);
  const atWords = new Trie(prefixes, false);
  const named = new Trie(words, true);
  const looksOf = new Map<string, number>([
    ...all.map(([prefix]): [string, number] => [prefix, isAnywhere(prefix) ? inside : atWord]),
    ...[...words.keys()].map((word): [string, number] => [word, name]),
  ]);
  const table = tableOf(looksOf);
  const ends = endsOf(looksOf);
  const maxChars = longest([...prefixes.keys(), ...words.keys()]);

  /** Whether the prefix counts in the middle of a word; one that begins with punctuation always does. */
  function isAnywhere(prefix: string): boolean {
    return inWord(prefix) || !isWordChar(prefix.charCodeAt(0));
  }

  function triggerAt(text: string, place: number, ended: boolean, wordAt: number): Trigger | undefined {
    const looks = lookAt(table, text, place);
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
      let place = from;
      while (place < last) {
        place = nextLook(table, text, place, last, wordAt);
        if (place === last) break;
        const trigger = triggerAt(text, place, ended, wordAt);
        if (trigger) return trigger;
        place += 1;
      }
      // The last two characters are too few for a secret and for the table.
      if (ended) return undefined;
      for (; place < to; place++) {
        const second = place + 1 < text.length ? text.charCodeAt(place + 1) : none;
        const looks = ends[endSlot(text.charCodeAt(place), second)] ?? 0;
        if (looks === 0) continue;
        const isToken = looks & inside || (looks & atWord && (place === wordAt || beginsWord(text, place)));
        if (isToken || looks & name)
          return { place, prefix: undefined, word: undefined, open: isToken ? "token" : "word" };
      }
      return undefined;
    },
    glance: () => glanceOf(table, ends),
    prefixAt: (text, place) => atWords.valueAt(text, place) ?? anywhere.valueAt(text, place),
  };
}

/**
 * The first place from `from` to before `to` that is worth examining; `to` if there is none. Text without secrets costs
 * nothing but this loop.
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
