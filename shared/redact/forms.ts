// All rules, by the text that triggers them, and all kinds that marks can name.
import { assignment } from "./assignments.ts";
import { shortOption } from "./command-options.ts";
import { contextRules } from "./contexts.ts";
import { authorization, basic, bearer, netrc, pgpassLine, urlLogin, userOption } from "./credentials.ts";
import { encodedShapes } from "./encoded-shapes.ts";
import { bareKey, bareKeyBegins, keyBlock } from "./key-blocks.ts";
import { kubernetesSecret } from "./kubernetes-secret.ts";
import { nameWords } from "./names.ts";
import type { RuleSet, SecretRule } from "./rule.ts";
import { shapes as plainShapes } from "./shapes.ts";
import { tokenRules } from "./token.ts";

const shapes = [...plainShapes, ...encodedShapes];

const prefixes = new Map<string, SecretRule>([
  ...shapes.flatMap(tokenRules),
  ["-----BEGIN ", keyBlock],
  ["---- BEGIN ", keyBlock],
  ["Private-Lines: ", keyBlock],
  ...bareKeyBegins.map((begin): [string, SecretRule] => [begin, bareKey]),
]);

/** `-a` gives a login to HTTPie and a password to Redis. */
const anyLogin: SecretRule = (text, at, ended) => userOption(text, at, ended) ?? shortOption(text, at, ended);

const words = new Map<string, SecretRule>([
  ...nameWords.map((word): [string, SecretRule] => [word, assignment]),
  ["://", urlLogin],
  [":\\/\\/", urlLogin],
  [" -u", userOption],
  [" -a", anyLogin],
  [" -w", shortOption],
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
  ...['data":', "data:\n", "data:\r", 'stringdata":', "stringdata:\n", "stringdata:\r"].map(
    (begin): [string, SecretRule] => [begin, kubernetesSecret],
  ),
  ...contextRules,
]);

const inWord = new Set(shapes.flatMap(({ after, prefixes }) => (after ? prefixes : [])));

export const formRules: RuleSet = { prefixes, words, inWord: (prefix) => inWord.has(prefix) };

export const formKinds: readonly string[] = [
  ...new Set([...shapes.map(({ kind }) => kind), "private key", "password", "login"]),
];
