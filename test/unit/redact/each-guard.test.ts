// One text for each condition of the redactor that no other test needs: what it hides, and what it leaves.
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { letters } from "./made-up.ts";
import { streamedEveryWay, withoutKeyHeads } from "./streamed.ts";

const redactor = createRedactor();
const quiet = "quiet words ".repeat(4);
const begin = ["-----BEGIN ", "PRIVATE KEY-----"].join("");
const end = ["-----END ", "PRIVATE KEY-----"].join("");
const mark = "[redacted: private key]";
const marks = (count: number, last: string) =>
  [...Array.from({ length: count }, () => mark), last].join("\n");

/** As a whole and as a stream, wherever that is cut. */
function expectShown(text: string, shown: string) {
  expect(redactor.redact(text)).toBe(shown);
  for (const streamed of streamedEveryWay(redactor, text))
    expect(withoutKeyHeads(streamed)).toBe(withoutKeyHeads(shown));
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
  ["--password\tTr0ub4dor&3x", "--password\t[redacted: password]"],
  ["PASSWORD\u001b[0m=Tr0ub4dor&3x \u001b[", "PASSWORD\u001b[0m=[redacted: password] \u001b["],
  ["password.prod=Tr0ub4dor&3x", "password.prod=[redacted: password]"],
  ["7z a -pabc", "7z a -p[redacted: password]"],
  ["Authorization : Bearer aB3dE6gH9jK2mN5pQ8sT", "Authorization : Bearer [redacted: login]"],
  [
    "machine a.example login bob password letmein",
    "machine a.example login bob password [redacted: password]",
  ],
  [
    "<password>let;me|in&longer;tail</password> and more text",
    "<password>[redacted: password]</password> and more text",
  ],
  ['{"password": "Tr0ub4dor&3x."}', '{"password": "[redacted: password]"}'],
  ["x-12-PASSWORD: letmein", "x-12-PASSWORD: [redacted: password]"],
  ['名称：auth: "Ym9iOmh1bnRlcjI="', '名称：auth: "[redacted: secret]"'],
  ...["\u001b[31m", "\u001b[01;31m"].map((colour): [string, string] => [
    `${colour}auth: "Ym9iOmh1bnRlcjI="`,
    `${colour}auth: "[redacted: secret]"`,
  ]),
  ["Authorization : aB3dE6gH9jK2mN5pQ8sT", "Authorization : [redacted: login]"],
  [
    "<password>let4me!x;me|in</password> and more text",
    "<password>[redacted: password]</password> and more text",
  ],
  ['password: "Tr0ub4<9dor&3x"', 'password: "[redacted: password]"'],
  ['api_token: "a1b2c3d4a1b2c3d4a1b2"', 'api_token: "[redacted: secret]"'],
  ['{"password": "Tr0ub4;dor3x"}', '{"password": "[redacted: password]"}'],
  [`f(token=${letters(300)}&abc)`, "f(token=[redacted: secret])"],
  [`<password>let4me!x;${letters(90)}</password>`, "<password>[redacted: password]</password>"],
  ["password: |\n  >Tr0ub4dor&3x\n", "password: |\n  [redacted: password]\n"],
  ["senha_do_banco: Tr0ub4dor&3x", "senha_do_banco: [redacted: password]"],
  [`key_data: ${letters(40)}`, "key_data: [redacted: secret]"],
  [`token-ghp_${letters(36)} = 5`, "token-[redacted: GitHub token] = 5"],
  [`session (ghp_${letters(36)}) is used`, "session ([redacted: GitHub token]) is used"],
  ...["", "\\n", "%0A", "\u001b[31m"].map((before): [string, string] => [
    `${quiet}${before}ghp_${letters(36)}`,
    `${quiet}${before}[redacted: GitHub token]`,
  ]),
  ["password: 天地玄黄2024", "password: [redacted: password]"],
  ["api_token=a1b2c3d4a1b2c3d4a1b2", "api_token=[redacted: secret]"],
  ['x["password"] = "Tr0ub4dor&3x"', 'x["password"] = "[redacted: password]"'],
  ["x?password\\u003dTr0ub4dor3!x", "x?password\\u003d[redacted: password]"],
  ["x?password&#61;Tr0ub4dor3!x", "x?password&#61;[redacted: password]"],
  ["{SHA}fEqNCco3Yq9h5ZUglD3CZJT4lBs=", "[redacted: password hash]"],
  [`key_is-ghp_${letters(36)}`, "key_is-[redacted: GitHub token]"],
  [`\\u0067\\u0068\\u0070\\u005F${letters(40)}`, "[redacted: GitHub token]"],
  ["nsalasana=Tr0ub4dor&3x", "nsalasana=[redacted: password]"],
  [`API_TOKEN=${letters(300)}`, "API_TOKEN=[redacted: secret]"],
  [`"A3-${"ASWWYB-798JRYLJVD4-23DC2-86TVM-H43EB"}"`, '"[redacted: 1Password key]"'],
  [`"A3-${"ASWWYB-798JRY-LJVD4-23DC2-86TVM-H43EB"}"`, '"[redacted: 1Password key]"'],
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
  "password:",
  "password: ",
  '--password"Tr0ub4dor&3x"',
  "f(password=READ12&WRITE2)",
  "password: hunter2 is it",
  "f(password=config.hunter2)",
  "f(password=Config::hunter2)",
  'api_token: "g1h2i3j4g1h2i3j4g1h2"',
  'userPasswordHint: "Tr0ub4dor&3x"',
  `glpAT-${letters(20)}`,
  `MIIEvQIBADANBgkh ${quiet.repeat(6)}`,
  `${quiet.repeat(2)}(${"A_".repeat(15)}PASSWORD: letmein`,
  "f(password=1a;b2c<3)",
  "key: aB3dE6gH9jK2aB3dE6gH9jK2",
  "apiKey: 3aB3dE6gH9jK2mN5pQ8sT1vW4yZ7xC0uR[redacted:",
  `${"A_".repeat(40)}PASSWORD: letmein`,
  "postgres://a",
  "curl -u bo",
  "basic Ojpw",
  "AuthorizationBasicYm",
  "GET /authorization/0f1e2d3c4b5a69788796a5b4c3d2e1f0 HTTP",
  'Client("AC3f1c7e5b2d804',
  "6768705f4142434445464748494a4b4c4d4e4f50",
  "-----BEGIN CERT",
  "MIIEvQIBADANBgkh",
  "MIIEvQIBADANBgkh x",
  `xghp_${letters(36)}`,
  `teamghp_${letters(36)}`,
  "password-hint: Tr0ub4dor&3x",
  `密码说明: ${letters(20)}`,
  "[redacted: password]: Tr0ub4dor&3x",
  ...["secret", "private key", "GitHub token"].map((kind) => `[redacted: ${kind}]: ${letters(40)}`),
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
    [`short words\n${line}\n${end}`, `short words\n${mark}\n${end}`],
    [`${begin}\n${letters(20)}\n${line}\n${line}\nabc\n${end}`, marks(5, end)],
    [`${begin}\n${`${letters(30)}\n`.repeat(4)}more words`, marks(5, "more words")],
    [`${line.slice(0, 24)}+AKIA${"Q7RTZ4KLMNOPWXYZ"}+\n${line}\n${end}`, `${mark}\n${mark}\n${end}`],
    [
      `${letters(30)}\n${line}\n${letters(12)}==\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----`,
      marks(4, "-----END PGP PRIVATE KEY BLOCK-----"),
    ],
    [
      `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${line}\nabc\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
      marks(3, "---- END SSH2 ENCRYPTED PRIVATE KEY ----"),
    ],
    [`Private-Lines: 2\n${line}\nabc`, `${mark}\n${mark}\n${mark}`],
    [`Private-Lines: 2\n${line}\nabc\nPrivate-MAC: 0f`, marks(3, "Private-MAC: 0f")],
    [`${line}\nPrivate-MAC: 0f`, `${mark}\nPrivate-MAC: 0f`],
    [
      `${line}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
      `${mark}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
    ],
  ])("ends where its lines do: %s", (text, shown) => {
    expectShown(text, shown);
  });
});

describe("a Kubernetes secret", () => {
  const encoded = "YWRtaW46cGFzc3dvcmQ=";
  const hidden = "[redacted: secret]";

  test.each([
    [`kind: Secret\ndata:\n  a: ${encoded}`, `kind: Secret\ndata:\n  a: ${hidden}`],
    ["kind: Secret\ndata:\n  a: YWRtaWFkbWlu\n", `kind: Secret\ndata:\n  a: ${hidden}\n`],
    ["stringData:\r\n  a: Tr0ub4dor&3x\r\n", `stringData:\r\n  a: ${hidden}\r\n`],
    ["stringData:\n  a: Tr0ub4dor&3x\n\n  b: Tr0ub4&4y\n", `stringData:\n  a: ${hidden}\n\n  b: ${hidden}\n`],
    [`{"kind": "Secret", "data": {"a": "${encoded}"}}`, `{"kind": "Secret", "data": {"a": "${hidden}"}}`],
    ['{"stringData":{"first":"Tr0ub4d', `{"stringData":{"first":"${hidden}`],
    [
      '{"stringData":{"a":"[redacted: GitHub token]","b":"Tr0ub4dor&3x"}}',
      `{"stringData":{"a":"[redacted: GitHub token]","b":"${hidden}"}}`,
    ],
    [`data:\n  tls.crt: ${encoded}\nkind: Secret\n`, `data:\n  tls.crt: ${hidden}\nkind: Secret\n`],
  ])("%j", expectShown);

  test.each([
    "stringData:\n  user: administrator\n",
    `{"kind": "Secret", "data": {"a": [1], "b": "${encoded}"}}`,
    '{"kind": "Secret", "data": ',
    '{"kind": "Secret", "data": [1]}',
  ])("%j stays", (text) => {
    expectShown(text, text);
  });
});

test.each(["&quot;", "&amp;", "&lt;", "&#39;", "&b=2", "\\n"])("a value ends before `%s`", (after) => {
  for (const chars of [30, 300])
    expectShown(`f?token=+/${letters(chars)}${after}x`, `f?token=[redacted: secret]${after}x`);
});

test("a redactor of values hides nothing else", () => {
  const values = createRedactor(["own-token-0123456789"], "values");
  const rest = `PASSWORD=hunter2x\n${letters(52)}\n${end}`;
  const text = `own-token-0123456789\n${rest}`;
  for (const given of [values.redact(text), ...streamedEveryWay(values, text)])
    expect(given).toBe(`[redacted: secret]\n${rest}`);
});

test.each([
  [["password"], "[redacted: password] password", "[redacted: password] [redacted: secret]"],
  [
    ["ключ-сервера-1"],
    "ключ-сервера-1 клюЧ-сервера-1 вода-соснова-1",
    "[redacted: secret] клюЧ-сервера-1 вода-соснова-1",
  ],
  [["an-own-token-0123456789"], "dan-own-token-0123456789", "d[redacted: secret]"],
])("of the values %j", (known, text, shown) => {
  const values = createRedactor(known, "values");
  for (const given of [values.redact(text), ...streamedEveryWay(values, text)]) expect(given).toBe(shown);
});
