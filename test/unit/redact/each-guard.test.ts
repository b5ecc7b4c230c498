// One text for each condition of the redactor that no other test needs: what it hides, and what it leaves.
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { letters } from "./made-up.ts";
import { streamedEveryWay, withoutKeyHeads } from "./streamed.ts";

const redactor = createRedactor();
const begin = ["-----BEGIN ", "PRIVATE KEY-----"].join("");
const end = ["-----END ", "PRIVATE KEY-----"].join("");
const mark = "[redacted: private key]";

/** As a whole and as a stream, wherever that is cut. */
function expectShown(text: string, shown: string) {
  expect(redactor.redact(text)).toBe(shown);
  for (const streamed of streamedEveryWay(redactor, text)) expect(withoutKeyHeads(streamed)).toBe(withoutKeyHeads(shown));
}

test.each([
  ['password("Tr0ub4dor&3")', 'password("[redacted: password]")'],
  ["x PASSWORD>Tr0ub4dor<3", "x PASSWORD>[redacted: password]<3"],
  ["<password>let;me|in</password>", "<password>[redacted: password]</password>"],
  ['"token": "aB3}dE6gH9jK2mN5p8sT1vW4yZ7xC0uR"', '"token": "[redacted: secret]"'],
  ['x = env("DB_PASSWORD", "letmein")', 'x = env("DB_PASSWORD", "[redacted: password]")'],
  ["set -gx DB_PASSWORD Tr0ub4d", "set -gx DB_PASSWORD [redacted: password]"],
  ["数据库密码=hunter2", "数据库密码=[redacted: password]"],
  [
    "&quot;apiKey&quot;: &quot;aB3dE6gH9jK2mN5pQ8sT1vW4&quot;",
    "&quot;apiKey&quot;: &quot;[redacted: secret]&quot;",
  ],
  ["ldapsearch -D cn=n -w Tr0ub4", "ldapsearch -D cn=n -w [redacted: password]"],
  ["Basic Ym9iOmh1bn", "Basic [redacted: login]"],
  ["CLIENT_SECRET=letmeinnow", "CLIENT_SECRET=[redacted: secret]"],
  ['client_secret: "Tr0ub4dor&3x"', 'client_secret: "[redacted: secret]"'],
  ["我的令牌=aB3dE6gH9jK2mN5pQ8", "我的令牌=[redacted: secret]"],
  ["password: Tr0ub4,dor", "password: [redacted: password]"],
  ["TOKEN=Tr0ub4dor&3", "TOKEN=[redacted: secret]"],
  ["PASSWORD=letmein\\n", "PASSWORD=[redacted: password]\\n"],
  ["f(apiKey: aB3dE6gH9jK2mN5pQ8sT1vW4.", "f(apiKey: [redacted: secret]."],
  ["apiKey: aB3dE6gH9jK2mN5pQ8sT1vW4,", "apiKey: [redacted: secret],"],
  ["Bearer aB3dE6gH9jK2mN5pQ8sT.", "Bearer [redacted: login]."],
  ["*:*:*:me:hunter2", "*:*:*:me:[redacted: password]"],
  ["password=letmein", "password=[redacted: password]"],
  ["PASSWORD:letmein", "PASSWORD:[redacted: password]"],
  ["Authorization Basic Ym9iOmh1bnRlcjI=", "Authorization Basic [redacted: login]"],
  ["login bob password hunter2", "login bob password [redacted: password]"],
  ["wget x --password=Tr0ub4dor", "wget x --password=[redacted: password]"],
  ["mysql://root:hunter2!@10.0.0.1", "mysql://root:[redacted: password]@10.0.0.1"],
])("%s", (text, shown) => {
  expectShown(text, shown);
});

test.each([
  "f(password=READ1&2)",
  "passwort\\=Tr0ub4dor",
  "password(Tr0ub4dor&3)",
  '{"password": "Tr0ub4dor&3 x"}',
  "PASSWORD =letmein",
  "password=letmein x",
  "ENV DB_PASSWORD letmein x",
  'x = f("DB_PASSWORD", "letmein")',
  'requests.get(u, auth=("bob", "letmeinnow"))',
  "postgres://u:12345@host/",
  "mysql://app1:app1@db",
  "curl -a bob:hunter2 x",
  "curl -U bob:12345 x",
  "curl -u bob:bob x",
  'auth = "Ym9iOg"',
  "apiKey: 1a-2b-3c-4d-5e-6f-7g",
  "apiKey: $aB3dE6gH9jK2mN5pQ8s",
  'requests.get(u, auth=("bob", "Tr$PASS0ub4dor"))',
  "password: 12345678",
  "Authorization: Basic AAECAzoEBQY=",
  "Authorization: Basic gICAgDqAgIA=",
  "- name: db_password\n  value: letmein",
  'f("DB_PASSWORD", Tr0ub4dor)',
  'password, "Tr0ub4dor&3x"',
  ";PASSWORD=letmein;",
  "a:// bob:rabbit99@mq",
  "mysql://root:hunter2",
  "CLIENT_SECRET=/srv/letmein-2",
  "PASSWORD=myPassword",
  "password: oublié-déjà",
  "password: letmein",
])("%s stays", (text) => {
  expectShown(text, text);
});

describe("a private key", () => {
  const line = letters(52);

  test.each([
    [`${begin}\nProc-Type: 4,ENCRYPTED\n\n${letters(20)}`, `${mark}\n${mark}\n\n${mark}`],
    [`${begin}\n${line}\nVersion: 2 of it\n`, `${mark}\n${mark}\nVersion: 2 of it\n`],
    [`${begin}\n${line}\nabc=\nmore text`, `${mark}\n${mark}\n${mark}\nmore text`],
    [`${begin}\n${line}\nabc`, `${mark}\n${mark}\n${mark}`],
    [`${line}\nabc\ndef\nghi\n${end}`, `${line}\nabc\ndef\nghi\n${end}`],
    [`x ${line}\n${end}`, `x ${line}\n${end}`],
  ])("ends where its lines do: %s", (text, shown) => {
    expectShown(text, shown);
  });
});
