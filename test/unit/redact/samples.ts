// Secrets in the spellings in which they occur, each with the part that must be removed. They are made up, in
// the forms that the vendors' pages, gitleaks (MIT) and secretlint (MIT) describe, and joined from parts, so
// that no secret scanner reports this file.

import { contexts } from "./context-samples.ts";
import { foreign } from "./foreign-samples.ts";
import { held, hex, join, letters, type Sample, uuid } from "./made-up.ts";
import { tokens } from "./token-samples.ts";

const awsSecret = "wJa1rXUtnF3MI/K7MD3NG+bPxRf1CYzQ8pLm4vKe";

const pemLines = [letters(64), hex(64), `${letters(64).toLowerCase()}==`];
const dashes = "-----";
const armour = (label: string, ...more: string[]) =>
  [`${dashes}BEGIN ${label}${dashes}`, ...more, ...pemLines, `${dashes}END ${label}${dashes}`].join("\n");
const block = (name: string, text: string): Sample => ({ name, text, secret: letters(64) });

const keys: Sample[] = [
  ...[
    "PRIVATE KEY",
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "DSA PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ANY PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "SSH2 ENCRYPTED PRIVATE KEY",
  ].map((label) => block(`a key: ${label}`, armour(label))),
  block(
    "a key with fields",
    armour("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF", ""),
  ),
  block("PGP", armour("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2", "")),
  block("a key without its end", armour("RSA PRIVATE KEY").slice(0, 200)),
  block("a short key without its end", `${dashes}BEGIN PRIVATE KEY${dashes}\n${letters(64)}\n${hex(20)}`),
  block("a key in JSON", JSON.stringify({ private_key: armour("PRIVATE KEY") })),
  block("a key in JSON in JSON", JSON.stringify(JSON.stringify({ private_key: armour("PRIVATE KEY") }))),
  block("a key in YAML", armour("RSA PRIVATE KEY").replace(/^/gm, "    ")),
  block(
    "a key in a string that is joined",
    armour("RSA PRIVATE KEY")
      .split("\n")
      .map((line) => `"${line}\\n" +`)
      .join("\n"),
  ),
  block("a key with Windows line ends", armour("PRIVATE KEY").replaceAll("\n", "\r\n")),
  block(
    "a key with line numbers",
    armour("PRIVATE KEY")
      .split("\n")
      .map((line, at) => `     ${at + 1}\t${line}`)
      .join("\n"),
  ),
  block("PuTTY", `PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 3\n${pemLines.join("\n")}\nPrivate-MAC: 00`),
  {
    name: "a key in base64",
    text: `KEY_B64: ${join("LS0tLS1CRUdJTiBS", "U0Eg", letters(80))}`,
    secret: letters(80),
  },
];

const settings: Sample[] = [
  held("AWS, .env", "AWS_SECRET_ACCESS_KEY=", awsSecret),
  held("AWS, credentials", "[default]\naws_secret_access_key = ", awsSecret, "\n"),
  held("AWS, JSON", '{"SecretAccessKey": "', awsSecret, '", "x": 1}'),
  held("AWS, JSON in JSON", '"{\\"secretAccessKey\\":\\"', awsSecret, '\\"}"'),
  held("AWS, YAML", "aws_secret_access_key: ", awsSecret, "\n"),
  held("AWS, TOML", 'secret_access_key = "', awsSecret, '"'),
  held("AWS, export", "export AWS_SECRET_ACCESS_KEY='", awsSecret, "'"),
  held("AWS, code", 'new S3({ secretAccessKey: "', awsSecret, '" })'),
  held("AWS, session", "AWS_SESSION_TOKEN=", join("FwoGZXIvYXdzE", letters(200), "==")),
  held("AWS, XML", "<SecretAccessKey>", awsSecret, "</SecretAccessKey>"),
  held(
    "Azure, storage",
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=",
    join(letters(86), "=="),
    ";Suffix=y",
  ),
  held("Azure, bus", "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=", join(letters(43), "=")),
  held(
    "Azure, signature",
    "https://x.blob.core.windows.net/c?sv=2022&sig=",
    join(letters(43), "%3D"),
    "&se=2030",
  ),
  held("Azure, DevOps", "AZURE_DEVOPS_EXT_PAT=", letters(52).toLowerCase()),
  held(
    "service account",
    '"private_key": "-----BEGIN PRIVATE KEY-----\\n',
    letters(64),
    '\\n-----END PRIVATE KEY-----\\n"',
  ),
  held("Postgres URL", "DATABASE_URL=postgres://app:", "s3cr3tpw", "@db.example.com:5432/app"),
  held("MySQL URL", "mysql://root:", "hunter2!", "@10.0.0.1/x"),
  held("Mongo URL", '"mongodb+srv://app:', "p4ssW0rd", '@cluster0.mongodb.net"'),
  held("Redis URL without a user", "redis://:", "Xk29dke02", "@cache:6379"),
  held("AMQP URL", "amqp://bob:", "rabbit99", "@mq//"),
  held("git URL", "git clone https://oauth2:", letters(26), "@git.example.com/a.git"),
  held("a token as a user", "https://", letters(40), "@example.com/x.git"),
  held("an escaped URL", '"https:\\/\\/bob:', "hunter22", '@example.com"'),
  held("Authorization, bearer", "Authorization: Bearer ", letters(30)),
  held("Authorization, basic", "authorization: Basic ", "Ym9iOmh1bnRlcjI="),
  held("Authorization, token", "Authorization: token ", hex(40)),
  held("Authorization, none", "Authorization: ", hex(40)),
  held("Authorization, JSON", '{"Authorization": "Bearer ', letters(30), '"}'),
  held("Authorization, curl", "curl -H 'Authorization: Bearer ", letters(30), "' https://x"),
  held("Authorization, code", "headers.set('Authorization', 'Bearer ", letters(30), "')"),
  held("curl -u", "curl -s -u bob:", "hunter2", " https://example.com"),
  held("curl --user", 'curl --user "bob:', "hunter2", '" https://example.com'),
  held("mysql -p", "mysql -u root -p", "hunter2", " app"),
  held("sshpass", "sshpass -p ", "hunter2", " ssh bob@example.com"),
  held("docker auth", '{"auths":{"ghcr.io":{"auth":"', "Ym9iOmh1bnRlcjI=", '"}}}'),
  held("docker identity", '"identitytoken": "', letters(60), '"'),
  held(".npmrc, token", "//registry.example.com/:_authToken=", uuid),
  held(".npmrc, auth", "_auth=", "Ym9iOmh1bnRlcjI="),
  held(".npmrc, password", "//r.example.com/:_password=", "aHVudGVyMmh1bnRlcg=="),
  held(".netrc", "machine example.com login bob password ", "hunter2", "\n"),
  held(".netrc, lines", "machine example.com\n  login bob\n  password ", "hunter2", "\n"),
  held(".pgpass", "db.example.com:5432:app:bob:", "hunter2", "\n"),
  held("PGPASSWORD", "PGPASSWORD=", "hunter2", " psql -h db"),
  held("Twitch", "TWITCH_CLIENT_SECRET=", letters(30).toLowerCase()),
  held("Heroku", "HEROKU_API_KEY=", uuid),
  held("Cloudflare", "CLOUDFLARE_API_TOKEN=", letters(40)),
  held("Cloudflare, key", "CF_API_KEY: ", hex(37)),
  held("Datadog", "DD_API_KEY=", hex(32)),
  held("Netlify, name", "NETLIFY_AUTH_TOKEN=", letters(43)),
  held("Supabase, name", "SUPABASE_SERVICE_ROLE_KEY=", letters(60)),
  held("Vercel, name", "VERCEL_TOKEN=", letters(24)),
  held("Mailchimp", "MAILCHIMP_API_KEY=", join(hex(32), "-us12")),
  held(".env", "DB_PASSWORD=", "letmein", "\n"),
  held(".env, quoted", 'DB_PASSWORD="', "hunter2!", '"\n'),
  held(".env, with a comment", "SMTP_PASS=", "hunter2", " # the mail server\n"),
  held("export", "export ADMIN_PASSWORD=", "hunter2", "\n"),
  held("Dockerfile", "ENV DB_PASSWORD=", "hunter2", "\n"),
  held("Dockerfile, old", "ENV DB_PASSWORD ", "hunter2", "\n"),
  held("compose", "    environment:\n      - POSTGRES_PASSWORD=", "hunter2", "\n"),
  held("compose, map", "      MYSQL_ROOT_PASSWORD: ", "hunter2", "\n"),
  held("YAML", "database:\n  password: ", "hunter2", "\n"),
  held("JSON", '{"password": "', "hunter2!", '"}'),
  held("TOML", 'password = "', "hunter2!", '"'),
  held("properties", "spring.datasource.password=", "hunter2", "\n"),
  held("XML", "<password>", "hunter2!", "</password>"),
  held("NuGet", '<add key="ClearTextPassword" value="', "hunter2!", '" />'),
  held("a connection string", '"Server=db;User Id=sa;Password=', "Hunter2!x", ';"'),
  held("a query", "https://example.com/?user=bob&api_key=", letters(24), "&x=1"),
  held("an option", "deploy --token ", letters(24), " now"),
  held("an option with a sign", "deploy --password=", "hunter2!", " now"),
  held("JWT_SECRET", "JWT_SECRET=", "my5up3rs3cr3t", "\n"),
  held("client secret", 'client_secret: "', hex(40), '"'),
  held("Rails", "secret_key_base: ", hex(128)),
  held("Django", "SECRET_KEY = 'django-insecure-", letters(40), "'"),
  held("Go", 'var apiToken string = "', letters(30), '"'),
  held("TypeScript", 'const apiKey: string = "', letters(30), '";'),
  held("PHP", "'secret' => '", letters(30), "',"),
  held("a call", 'System.setProperty("API_TOKEN", "', letters(30), '")'),
  held("HTML", "&quot;apiKey&quot;: &quot;", letters(30), "&quot;"),
  held("in a URL", "callback?access_token%3D", letters(30)),
  held("WireGuard", "PrivateKey = ", join(letters(43), "=")),
  held("Kubernetes", "  password: ", "aHVudGVyMmh1bnRlcjI=", "\n"),
];

/** Characters that come directly before a token and do not belong to a word. */
export const escapes = [
  "\\n",
  "\\\\n",
  "\\t",
  "\\r\\n",
  "%3D",
  "%0A",
  "\\u003d",
  "\\x3d",
  "\x1b[31m",
  "\\x1b[0m",
  "\\033[1m",
  "&quot;",
  '\\"',
  "`",
  "|",
  "@",
  "=",
  ":",
  "/",
  "-",
  "#",
];

export const samples: readonly Sample[] = [
  ...Object.entries(tokens).map(([name, secret]): Sample => ({ name, text: secret, secret })),
  ...keys,
  ...settings,
  ...contexts,
  ...foreign,
  ...escapes.map((before) =>
    held(`after ${JSON.stringify(before)}`, `"a${before}`, join("ghp_", letters(36)), '"'),
  ),
  ...["%", "\\u00", "\\x"].flatMap((sign) =>
    [join("ghp_", letters(36)), join("sk-", "ant-api03-", letters(93), "AA")].map((token) => {
      const secret = token.replace(/./g, (char) => sign + char.charCodeAt(0).toString(16));
      return held(`each character as ${sign}xx: ${token.slice(0, 6)}`, '"', secret, '"');
    }),
  ),
  ...["\u200b", "\u2060", "\ufeff"].map((nothing) =>
    held(
      `with ${JSON.stringify(nothing)} in it`,
      '"',
      join("ghp_", letters(20), nothing, letters(36).slice(20)),
      '"',
    ),
  ),
];
