// Finds secrets after text that always announces one: in SQL, in a call, in a pipe. The parts of a pattern are matched
// one after the other.
import { isMixed, isOwnWord, looksRandom } from "./judge-value.ts";
import { endOf, type SecretRule } from "./rule.ts";

/** Matches at most `maxChars` characters of one line, including its lookahead. */
interface ContextPart {
  pattern: RegExp;
  maxChars: number;
}

const part = (source: string, maxChars: number): ContextPart => ({
  pattern: new RegExp(source, "iy"),
  maxChars,
});

/** A rule whose last part matches the value. */
const context =
  (kind: string, parts: readonly ContextPart[], is: (value: string) => boolean): SecretRule =>
  (text, at, ended) => {
    let [from, to] = [at, at];
    for (const { pattern, maxChars } of parts) {
      from = to;
      if (!ended && text.length - from < maxChars && !text.includes("\n", from)) return { holdFrom: from };
      to = endOf(pattern, text, from);
      if (to === from) return undefined;
    }
    return is(text.slice(from, to)) ? { from, to, kind } : undefined;
  };

const maxValueChars = 256;
const aheadChars = 40;
const quoted = part(`[^\\s"']{1,${maxValueChars}}(?=["'])`, maxValueChars + 1);
const chosen = (value: string) => isMixed(value) && isOwnWord(value, 8);
const word = (value: string) => isOwnWord(value, 4);

const rules: [readonly string[], SecretRule][] = [
  [
    ["identified "],
    context(
      "password",
      [part("identified +(?:with +[\\w']{1,32} +)?(?:by +(?:password +)?|as +)N?[\"']", 90), quoted],
      word,
    ),
  ],
  [
    ["securestring "],
    context("password", [part("securestring +(?:-string +)?[\"']", aheadChars), quoted], word),
  ],
  [
    ["echo "],
    context(
      "password",
      [
        part("echo {1,4}[\"']?[\\w.-]{1,40}:", 56),
        part(`[^\\s"'|]{1,${maxValueChars}}(?=["']? {0,4}\\| {0,4}(?:sudo +)?chpasswd)`, 300),
      ],
      word,
    ),
  ],
  [
    ["auth=(", "basicauth("],
    context("password", [part("\\w{4,9}=?\\([\"'][^\"'\\s]{1,64}[\"'], ?[\"']", 90), quoted], chosen),
  ],
  [
    ["createhmac("],
    context("secret", [part("createhmac\\([\"'][\\w-]{1,24}[\"'], ?[\"']", 48), quoted], chosen),
  ],
  [
    ["configure set aws_se"],
    context(
      "secret",
      [part("configure set aws_\\w{6,24} +[\"']?", 64), part("[^\\s\"']{30,1000}", 1_001)],
      (value) => isOwnWord(value, 30),
    ),
  ],
  [["hmac.new("], context("secret", [part("hmac\\.new\\(b?[\"']", 16), quoted], chosen)],
  [
    ["jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode("],
    context(
      "secret",
      [part("jwt\\.\\w{4,6}\\((?:[\\w.]{1,64}|\\{[^{}\\n]{0,160}\\}), ?[\"']", 200), quoted],
      chosen,
    ),
  ],
  [
    ['wallet("0x', "wallet('0x"],
    context("private key", [part("wallet\\([\"']0x", 11), part("[\\da-f]{64}(?![\\da-f])", 65)], () => true),
  ],
  [
    // Logins of gem sources: `BUNDLE_GEMS__EXAMPLE__COM=user:password`, `bundle config set gems.example.com user:password`
    // (https://bundler.io/man/bundle-config.1.html).
    ["bundle_", "bundle config "],
    context(
      "login",
      [
        part(
          "bundle(?:_(?!build|mirror)\\w{3,80}__\\w{2,32}[\"'`]?[ \\t]{0,8}[:=>,]{1,4}| config (?:set )?(?:--\\w{1,8} )?[\\w.-]{4,90}) {0,8}[\"'`]?",
          300,
        ),
        part("[^\\s\"'`:;/]{2,64}:[^\\s\"'`;/]{4,128}", 194),
      ],
      (value) => isOwnWord(value.slice(value.indexOf(":") + 1), 4),
    ),
  ],
  [
    // Twilio: first the account, then its token.
    ['("ac', "('ac"],
    context(
      "secret",
      [part("\\([\"']AC[\\da-f]{32}[\"']", 37), part(", ?[\"']", 4), part("[\\da-f]{32}(?=[\"'])", 33)],
      () => true,
    ),
  ],
  [
    // A JSON web key (RFC 7517): its private part, or the whole of a symmetric key.
    ['"d":', '"k":'],
    context("private key", [part('"[dk]": ?"', 7), part('[\\w-]{42,800}(?=")', 801)], (value) =>
      looksRandom(value, 42),
    ),
  ],
  [
    ["x-amz-signature=", "x-goog-signature="],
    context("secret", [part("x-\\w{3,4}-signature=", 18), part("[\\da-f]{64,1024}", 1_025)], () => true),
  ],
];

export const contextRules: ReadonlyMap<string, SecretRule> = new Map(
  rules.flatMap(([words, rule]) => words.map((begin): [string, SecretRule] => [begin, rule])),
);
