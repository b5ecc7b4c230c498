// Each beginning of a token or key that was encoded as a whole, of a key without its first line, and each command whose
// option holds a password. All are made up.
import { describe, expect, test } from "vitest";
import { bareKeyBegins } from "../../../shared/redact/key-blocks.ts";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { hex, letters, upper } from "./made-up.ts";

const { redact } = createRedactor();
const base64 = (text: string) => Buffer.from(text).toString("base64");
const inHex = (text: string) => Buffer.from(text).toString("hex");
const inUrl = (text: string) => text.replaceAll("_", "%5F").replaceAll("-", "%2D");
const dashes = "-----";

const gitHub = ["ghp_", "gho_", "ghs_", "ghu_"].map((begin) => begin + letters(36));
const fineGrained = `github_pat_${letters(60)}`;
const models = ["sk-ant-", "sk-proj-"].map((begin) => begin + letters(60));
const stripe = ["sk_live_", "rk_live_"].map((begin) => begin + letters(24));
const slack = ["xoxb-", "xoxp-"].map((begin) => `${begin}123456789012-${letters(24)}`);
const gitLab = `glpat-${letters(20)}`;
const keys = ["PRIVATE", "RSA PRIVATE", "EC PRIVATE", "OPENSSH PRIVATE", "ENCRYPTED PRIVATE", "DSA PRIVATE"];

const plain: Record<string, readonly string[]> = {
  "GitHub token": [...gitHub, fineGrained],
  "GitLab token": [gitLab],
  "API key": [...models, `AIza${letters(35)}`],
  "Stripe key": stripe,
  "Slack token": slack,
  "npm token": [`npm_${letters(36)}`],
  login: [`{"auths":{"ghcr.io":{"auth":"${letters(40)}"}}}`],
  "private key": [...keys, "PGP PRIVATE"].map((label) => `${dashes}BEGIN ${label} KEY${dashes}\n${hex(90)}`),
};
const asHex: Record<string, readonly string[]> = {
  "GitHub token": plain["GitHub token"] ?? [],
  "API key": models,
  "AWS access key": ["AKIA", "ASIA"].map((begin) => begin + upper(16)),
  "Slack token": slack,
  "private key": [`${dashes}BEGIN PRIVATE KEY${dashes}\n${letters(128)}`],
};
const asUrl: Record<string, readonly string[]> = {
  "GitHub token": [...gitHub.slice(0, 3), fineGrained],
  "GitLab token": [gitLab],
  "API key": models,
  "Stripe key": stripe,
  "Slack token": slack,
};

const listed = (table: Record<string, readonly string[]>, ...forms: ((text: string) => string)[]) =>
  Object.entries(table).flatMap(([kind, all]) =>
    all.flatMap((text) => forms.map((form): [string, string] => [form(text), kind])),
  );

describe("encoded as a whole", () => {
  test.each([
    ...listed(plain, base64, (text) => base64(base64(text))),
    ...listed(asHex, inHex, (text) => inHex(text).toUpperCase()),
    ...listed(
      asUrl,
      inUrl,
      (text) => inUrl(text).replace(/%../g, (sign) => sign.toLowerCase()),
      (text) => inUrl(text).replaceAll("%", "%25"),
      (text) => inUrl(text).replace(/%../g, (sign) => `%25${sign.slice(1).toLowerCase()}`),
    ),
    ...['{"type":', '{"type": ', '{\n  "type": ', '{\n    "type": '].map((begin): [string, string] => [
      base64(`${begin}"service_account", "private_key_id": "${hex(40)}"}`),
      "private key",
    ]),
    [base64(`eyJ${letters(60)}.eyJ${letters(60)}`), "web token"],
    [base64(base64(`eyJ${letters(60)}.eyJ${letters(60)}`)), "web token"],
  ])("%.16s… is marked as a %s", (text, kind) => {
    expect(redact(`> ${text}\n`)).toBe(`> [redacted: ${kind}]\n`);
  });
});

const begins =
  "MIIEvQIBADAN MIIEvAIBADAN MIIEvgIBADAN MIIEuwIBADAN MIIG/QIBADAN MIIG/gIBADAN MIIG/wIBADAN MIIJQQIBADAN MIIJQgIBADAN MIIJQwIBADAN MIIJRAIBADAN MIIEogIBAAKC MIIEowIBAAKC MIIEpAIBAAKC MIIEpQIBAAKC MIIG4wIBAAKC MIIG5AIBAAKC MIIJKAIBAAKC MIIJKQIBAAKC MIIJKgIBAAKC MIIJKwIBAAKC MIGHAgEAMBMG b3BlbnNzaC1rZXktdjEA".split(
    " ",
  );

test.each(begins)("a key without its first line, %s…", (begin) => {
  const body = letters(64 - begin.length);
  expect(redact(`> ${begin}${body}\n`)).toBe("> [redacted: private key]\n");
});

test("every such beginning is among these", () => {
  expect(bareKeyBegins.filter((begin) => !begins.includes(begin))).toEqual([]);
});

const password = "Tr0ub4dor&3x";

test.each([
  "sshpass -p",
  "mysql -u a -p",
  "mysqldump -u a -p",
  "mariadb -u a -p",
  "mariadb-dump -u a -p",
  "mongo -u a -p",
  "mongodump -u a -p",
  "7z a -p",
  "7za a -p",
  "rar a -p",
  ...["docker", "podman", "nerdctl", "buildah", "skopeo", "helm registry", "az", "oc"].map(
    (program) => `${program} login -u a -p `,
  ),
  "mongosh -u a -p ",
  "sqlcmd -U a -P ",
  "bcp t out f -U a -P",
  "zip -P ",
  "redis-cli -a ",
  "ldapsearch -w ",
])("`%sPASSWORD` shows none", (command) => {
  for (const quote of ["", '"', "'", '\\"'])
    expect(redact(`${command}${quote}${password}${quote} x\n`)).toBe(
      `${command}${quote}[redacted: password]${quote} x\n`,
    );
});
