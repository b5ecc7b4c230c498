// All rules together, by what begins them, and the kinds of all marks.
import { assignment } from "./assignments.ts";
import {
  authorization,
  basic,
  bearer,
  netrc,
  pgpassLine,
  shortOption,
  urlLogin,
  userOption,
} from "./credentials.ts";
import { keyBlock } from "./key-blocks.ts";
import { nameWords } from "./names.ts";
import type { Rule, RuleSet } from "./rule.ts";
import { shapes } from "./shapes.ts";
import { tokenRules } from "./token.ts";

const prefixes = new Map<string, Rule>([
  ...shapes.flatMap(tokenRules),
  ["-----BEGIN ", keyBlock],
  ["---- BEGIN ", keyBlock],
  ["Private-Lines: ", keyBlock],
]);

const words = new Map<string, Rule>([
  ...nameWords.map((word): [string, Rule] => [word, assignment]),
  ["://", urlLogin],
  [":\\/\\/", urlLogin],
  [" -u", userOption],
  [" --user", userOption],
  [" --proxy-user", userOption],
  [" -p", shortOption],
  ["machine ", netrc],
  ["login ", netrc],
  [":54", pgpassLine],
  [":6432:", pgpassLine],
  [":*:", pgpassLine],
  ["authorization", authorization],
  ["bearer ", bearer],
  ["basic ", basic],
]);

const inWord = new Set(shapes.flatMap(({ after, prefixes }) => (after ? prefixes : [])));

export const formRules: RuleSet = { prefixes, words, inWord: (prefix) => inWord.has(prefix) };

export const formKinds: readonly string[] = [
  ...new Set([...shapes.map(({ kind }) => kind), "private key", "password", "login"]),
];
