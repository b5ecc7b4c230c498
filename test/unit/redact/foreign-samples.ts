// Secrets with names in other languages than English, and tokens that are encoded as a whole. All are made
// up.
import { held, hex, join, letters, type Sample, upper } from "./made-up.ts";

const chosen = "Tr0ub4dor&3x";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const inHex = (text: string) => Buffer.from(text).toString("hex");

/** An encoded token in a line that does not tell what it is. */
const bare = (name: string, secret: string): Sample => held(name, "> ", secret, "\n");

const github = join("ghp_", letters(36));
const tokens: Record<string, string> = {
  "GitHub, classic": github,
  "GitHub, app": join("ghs_", letters(36)),
  "GitHub, fine-grained": join("github_", "pat_", letters(22), "_", letters(59)),
  GitLab: join("glpat-", letters(20)),
  Anthropic: join("sk-", "ant-api03-", letters(93), "AA"),
  OpenAI: join("sk-", "proj-", letters(74)),
  Stripe: join("sk_", "live_", letters(24)),
  Slack: join("xoxb-", "123456789012-", letters(24)),
  npm: join("npm_", letters(36)),
};

export const foreign: readonly Sample[] = [
  ...[
    "passwort",
    "DB_KENNWORT",
    "dbPassord",
    "wachtwoord",
    "ADGANGSKODE",
    "lösenord",
    "salasana",
    "contrasena",
    "contraseña",
    "CONTRASEÑA",
    "senha",
    "mot_de_passe",
    "motDePasse",
    "DB_MDP",
    "parola",
    "hasło",
    "heslo",
    "jelszó",
    "şifre",
    "пароль",
    "Пароль",
    "密码",
    "数据库密码",
    "パスワード",
    "비밀번호",
  ].flatMap((name) => [
    held(`${name}, set`, `${name}=`, chosen, "\n"),
    held(`${name}, line`, `${name}: `, chosen, "\n"),
    held(`${name}, quoted`, `{"${name}": "`, chosen, '"}'),
  ]),
  held("a colon of full width", "密码：", chosen, "\n"),
  ...["api_schluessel", "clave_api", "CHAVE_API", "chiave", "токен", "密钥", "API令牌"].map((name) =>
    held(name, `${name} = "`, letters(32), '"'),
  ),

  ...Object.entries(tokens).map(([name, token]) => bare(`${name}, base64`, base64(token))),
  ...Object.entries(tokens)
    .filter(([name]) => !/GitLab|Stripe|npm/.test(name))
    .map(([name, token]) => bare(`${name}, hexadecimal`, inHex(token))),
  bare("GitHub, hexadecimal, large letters", inHex(github).toUpperCase()),
  bare("AWS, hexadecimal", inHex(join("AKIA", upper(16)))),
  ...["GitHub, classic", "GitHub, fine-grained", "GitLab", "Anthropic", "Stripe", "Slack"].map((name) =>
    bare(`${name}, in a URL`, (tokens[name] ?? "").replaceAll("_", "%5F").replaceAll("-", "%2D")),
  ),
  ...Object.entries(tokens).map(([name, token]) => bare(`${name}, base64 twice`, base64(base64(token)))),
  ...["GitHub, classic", "GitHub, fine-grained", "GitLab", "Anthropic", "Stripe", "Slack"].map((name) =>
    bare(`${name}, in a URL twice`, (tokens[name] ?? "").replaceAll("_", "%255F").replaceAll("-", "%252D")),
  ),
  ...["%253D", "%25253D", "%250a"].map((sign) =>
    held(`GitHub after ${sign}`, `https://example.com/?next=t${sign}`, github),
  ),
  bare("a web token, base64 twice", base64(base64(join("eyJ", "hbGciOi", letters(90))))),
  bare("a key, base64 twice", base64(base64(`${"-----"}BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n`))),
  bare("registries' logins, base64", base64(`{"auths":{"ghcr.io":{"auth":"${letters(40)}"}}}`)),
  bare(
    "a service account, base64",
    base64(`{\n  "type": "service_account",\n  "private_key_id": "${hex(40)}"}`),
  ),
  bare("a PGP key, base64", base64(`${"-----"}BEGIN PGP PRIVATE KEY BLOCK-----\n\n${letters(64)}\n`)),
  bare("a key, hexadecimal", inHex(`${"-----"}BEGIN PRIVATE KEY-----\n${letters(128)}\n`)),
];

/** Words, names and data that look like secrets but are not. */
export const foreignHarmless: readonly string[] = [
  'passwort: "Ihr Passwort"',
  '"password": "Passwort eingeben"',
  "contraseña: Introduzca la contraseña",
  '"senha": "senha"',
  "mot_de_passe: oublié ?",
  "密码：请输入密码",
  "'密码': '密码错误',",
  "パスワード: パスワードを入力",
  "const clave = objeto.clave;",
  "clave_primaria: usuarios_id",
  "slave=replica-1.example.com",
  "const enclave = getEnclave(region1);",
  "<Clave>ABC</Clave>",
  "parola: cuvant",
  "chave: valor",
  "- 忘记密码：手机号、短信验证码、新密码",
  "if errorlevel 1 (echo FAIL>.done-unit) else (echo PASS>.done-unit)",
  "console.log('content of ' + chiave)",
  "Z2hwX is how ghp_ begins",
  "WjJod1 is how that begins, encoded once more",
  "https://example.com/?next=%2F%253Dghp_",
  "0x6768705f41424344",
  "eyJhdXRocyI6e319",
];
