// Each form of a value that is no secret, and each place at which a value counts as one. All values are made up.
import { expect, test } from "vitest";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { hex, letters } from "./made-up.ts";

const { redact } = createRedactor();
const words = (...lines: string[]) => lines.flatMap((line) => line.split(" "));
const chosen = "Tr0ub4dor&3x";
const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each(
  words(
    "your my a an the example sample placeholder changeme change replace replaceme insert enter dummy fake mock todo",
    "redacted hidden masked secret unset foo foobar bar baz qux none null nil undefined true false yes no string str",
    "text bool boolean int number any object test tests testing default required optional here pass passwd password",
    "passphrase pwd pw token key apikey auth value user username admin root postgres mysql guest demo invalid wrong",
    "correct old new current confirm bearer basic xxx",
  ),
)("a password with the word `%s` is a placeholder", (word) => {
  for (const value of [`qwertz-${word}`, `${word}_qwertz`]) {
    expect(redact(`PASSWORD=${value}\n`)).toBe(`PASSWORD=${value}\n`);
  }
});

test.each([
  "qw1$DB",
  "qw1$(zx",
  "qw1{{zx",
  "qw1}}zx",
  "qw1<Zx",
  "qw1%(zx",
  "qw1%{zx",
  "%AB_CD%1",
  "qw1#{zx",
  "{qw1zx",
  "qw1***zx",
  "qw1...zx",
  "qw1…zx",
  "!Ref1",
  "@qwertz1@",
  "get_1.zx(qw1",
  "list.of1[qw",
])("`%s` is looked up or filled in", (value) => {
  expect(redact(`PASSWORD=${value}\n`)).toBe(`PASSWORD=${value}\n`);
});

test.each([
  `sha256-${letters(30)}`,
  `sha1:${letters(30)}`,
  `pk_${letters(30)}`,
  `pk.${letters(30)}`,
  `ssh-${letters(30)}`,
  `data:${letters(30)}`,
  `https://${letters(30)}`,
])("a secret is not `%s`, which is public", (value) => {
  expect(redact(`client_secret = "${value}"\n`)).toBe(`client_secret = "${value}"\n`);
});

test.each(["./qwertz1/x", "../qwertz1/x", "~/qwertz1/x", "/srv/qwertz1/x", "/srv-qwertz.d", "C:\\qwertz1"])(
  "a password is not `%s`, which is a path",
  (value) => {
    expect(redact(`PASSWORD=${value}\n`)).toBe(`PASSWORD=${value}\n`);
  },
);

test.each(["config.qwertz1", "config?.qwertz1", "config::qwertz1", "config->qwertz1"])(
  "a password is not `%s`, which is code",
  (value) => {
    expect(redact(`password: ${value}\n`)).toBe(`password: ${value}\n`);
  },
);

test.each(
  words(
    "mypassword yourpass thepasswd mypassphrase mytoken dbpwd userpw somesecret my_token2 passphrase passwd pwd2 pw3 secret1 token 12345",
    "[pass1word] :pass1word",
  ),
)("the login of an address with `%s` is an example", (value) => {
  const line = `postgres://app:${value}@db.example.com/x\n`;
  expect(redact(line)).toBe(line);
});

test.each([
  "export ",
  "set ",
  "setx ",
  "ENV ",
  "ARG ",
  "env ",
  "declare -x ",
  "-e ",
  "--env ",
  "--build-arg ",
  "Environment=\t",
  "> ",
  "+",
  "app/.env:12:",
  "app/.env-12-",
])("after `%s` even a word is a password", (before) => {
  expect(redact(`a\n${before}DB_PASSWORD=letmein\n`)).toBe(`a\n${before}DB_PASSWORD=[redacted: password]\n`);
});

test.each(["ENV", "set -x", "set -gx", "setx", "setenv"])("`%s NAME PASSWORD` sets one", (command) => {
  expect(redact(`${command} DB_PASSWORD ${chosen}\n`)).toBe(`${command} DB_PASSWORD [redacted: password]\n`);
});

test.each(["env", "os.getenv", "environ.get", "environ.setdefault", "ENV.fetch"])(
  "`%s` with a default tells it",
  (lookup) => {
    expect(redact(`x = ${lookup}("DB_PASSWORD", "letmein")\n`)).toBe(
      `x = ${lookup}("DB_PASSWORD", "[redacted: password]")\n`,
    );
  },
);

test.each(words("Bearer Basic Token ApiKey Api-Key Api-Token Key Bot Digest Negotiate NTLM Splunk"))(
  "Authorization: %s",
  (scheme) => {
    for (const room of [" ", "\t"])
      expect(redact(`Authorization: ${scheme}${room}${hex(40)}\n`)).toBe(
        `Authorization: ${scheme}${room}[redacted: login]\n`,
      );
  },
);

test.each([
  ["bearer outside of a header", "send Bearer ", letters(30), " login"],
  ["a header in a hash", "Authorization => ", letters(30), " login"],
  ["curl --proxy-user", "curl --proxy-user bob:", chosen, " password"],
  ["http -u", "http -u bob:", chosen, " password"],
  ["xh -u", "xh -u bob:", chosen, " password"],
  ["https -a", "https -a bob:", chosen, " password"],
  ["a machine with a word", "machine h login u password ", "letmein", " password"],
  [".pgpass by PgBouncer", "db:6432:app:bob:", "letmein", " password"],
  [".pgpass of any port", "db:*:app:bob:", "letmein", " password"],
  ["SQL, identified as", "CREATE USER b IDENTIFIED AS '", chosen, "' password"],
  ["basicAuth", 'client.basicAuth("bob", "', chosen, '") password'],
  ["jwt.verify", 'jwt.verify(token, "', letters(32), '") secret'],
  ["jwt.encode", 'jwt.encode(body, "', letters(32), '") secret'],
  ["jwt.decode", 'jwt.decode(token, "', letters(32), '") secret'],
  ["auth in base64 of few letters", 'auth: "', base64("aaaa:aaaa"), '" secret'],
  ["another auth in base64", 'proxy_auth: "', base64("aaaa:aaaa"), '" secret'],
  ["identity token", 'identity_token: "', base64("aaaa:aaaa"), '" secret'],
  ["identityToken", 'identitytoken: "', base64("aaaa:aaaa"), '" secret'],
  ["before a comment", "smtp_pass=", "letmein", " # the mail server password"],
  ["an element left open", "<password>", "hunter2!x", " password"],
  ["an element left open, escaped", "&lt;password>", "hunter2!x", " password"],
  ["a field of a connection", 'open("Server=db;password=', "hunter2x", '") password'],
  ["a fallback of a shell", "psql ${DB_PASSWORD:-", "hunter2x", "} password"],
  ["two flags are code, three fields are not", "x?a=1&password=", "hunter2!&3x", " password"],
  ...["\\n", "&quot;", "\\u0022", "%22"].map((end): [string, string, string, string] => [
    `before ${end}`,
    'x = "PGPASSWORD=',
    "hunter2x",
    `${end}y" password`,
  ]),
  ["before a quote that is escaped", 'x = "PGPASSWORD=', "hunter2x", '\\" password'],
  ["after a quote that is written out", "password=\\u0022", "hunter2!x", "\\u0022 password"],
  ["after an octal escape", "x\\075", `ghp_${letters(36)}`, " GitHub token"],
])("%s", (_, before, secret, rest) => {
  const [, after = "", kind = ""] = /^(.*?) ?(password|secret|login|GitHub token)$/.exec(rest) ?? [];
  expect(redact(`${before}${secret}${after}\n`)).toBe(`${before}[redacted: ${kind}]${after}\n`);
});

test.each([
  ["SSH2", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"],
  ["PuTTY", "Private-Lines: 12"],
])("a key of %s without its end", (_, begin) => {
  expect(redact(`${begin}\n${letters(64)}\n`)).toBe("[redacted: private key]\n[redacted: private key]\n");
});

test("a key in a diff, and one whose short last line its end proves", () => {
  const dashes = "-----";
  const lines = [
    `${dashes}BEGIN PRIVATE KEY${dashes}`,
    letters(64),
    hex(8),
    `${dashes}END PRIVATE KEY${dashes}`,
  ];
  for (const mark of ["", "- ", "+ "]) {
    const shown = redact(lines.map((line) => `${mark}${line}\n`).join(""));
    expect(shown).not.toContain(letters(20));
    expect(shown).not.toContain(hex(8));
  }
});

test.each([
  `x:AA${letters(33)}`,
  `x:APA91b${letters(134)}`,
  `x.atlasv1.${letters(67)}`,
  "class='sk-a-spinner-of-the-page-with-a-long-name'",
  `4b1d${"ab".repeat(20)}`,
  `cio${"ab".repeat(16)}`,
  "s.abcdefghijklmnopqrstuvwx",
  "secret_thenameofatablethatholdsmorewordsthanone",
  "x = password&0x1",
  "x = PASSWORD_READ&PASSWORD_WRITE2",
])("%s only begins like a token, or is code", (text) => {
  expect(redact(`${text}\n`)).toBe(`${text}\n`);
});
