// What tools print: the secrets in it, written between « and », and texts that only look as if they contained one.
import { expect, test } from "vitest";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { letters } from "./made-up.ts";
import { streamedEveryWay } from "./streamed.ts";

const redactor = createRedactor();
const [random, key] = [letters(24), `${letters(42)}A=`];

test.each([
  ["kubectl get -o json", '{"password":"«hunter2!x»","username":"admin"}'],
  ["terraform output", 'db_password = "«kJ8f2mQ9xZ»"\nregion = "eu-west-1"'],
  ["terraform state show", `    password${" ".repeat(30)}= "«Gh7kLm2pQx»"\n`],
  ["docker inspect", '  "Env": [\n    "MYSQL_ROOT_PASSWORD=«letmeinnow»",'],
  ["docker history", "/bin/sh -c #(nop)  ENV DB_PASSWORD=«letmeinnow»"],
  ["docker run", "docker run -e MYSQL_ROOT_PASSWORD=«letmeinnow» mysql:8"],
  ["docker build", "docker build --build-arg DB_PASSWORD=«letmeinnow» ."],
  ["Dockerfile", "ENV DB_USER=bob DB_PASSWORD=«letmeinnow»"],
  ["aws sts as a table", `||  SecretAccessKey  |  «${letters(40)}»  ||`],
  ["psql \\x", "-[ RECORD 1 ]---\npassword | «Tr0ub4dor&3x»\n"],
  ["printenv -0", "PATH=/usr/bin\0DB_PASSWORD=«letmeinnow»\0HOME=/root\0"],
  ["fly secrets set", "fly secrets set DB_PASSWORD=«letmein99»"],
  ["heroku config:set", "heroku config:set DB_PASSWORD=«letmein99»"],
  ["systemd", 'Environment="DB_PASSWORD=«letmeinnow»"'],
  ["systemctl show", "Environment=PATH=/usr/bin DB_PASSWORD=«letmeinnow» LANG=C"],
  ["declare -p", 'declare -x DB_PASSWORD="«letmeinnow»"'],
  ["set", "DB_PASSWORD='«letmeinnow»'"],
  ["setenv", "setenv DB_PASSWORD «letmeinnow»"],
  ["redis.conf", "requirepass «hunter2x»\n"],
  ["rclone.conf", `[remote]\npass = «${random}»`],
  ["wg show", `  private key: «${key}»`],
  ["an inventory of Ansible", "host1 ansible_user=bob ansible_become_pass=«hunter2x» ansible_port=22"],
  ["a log", "connecting user=bob password=«letmein99» host=db"],
  ["TOML", `password = """«Tr0ub4dor3x»"""\ntoken = '''«${random}»'''`],
  ["YAML", "password: >-\n  «Tr0ub4dor&3x»\n"],
  ["YAML in a string", "\\npassword: |\n  «Tr0ub4dor&3x»\n"],
  ["Java properties", "spring.datasource.password: «letmein7»"],
  ["web.config", 'connectionString="Server=db;User Id=sa;Password=«Tr0ub4dor3x»;"'],
  ["PowerShell", '$env:DB_PASSWORD = "«Tr0ub4dor3x»"'],
  ["JavaScript", "{ user: 'app', password: '«Tr0ub4dor3x»', port: 5432 }"],
  ["Python", "{'user': b'app', 'password': b'«Tr0ub4dor3x»'}"],
  ["Ruby", '{:user=>"app", :password=>"«Tr0ub4dor3x»"}'],
  ["PHP, print_r", "    [password] => «Tr0ub4dor3x»\n"],
  ["Go, %+v", "{Host:db User:app Password:«Tr0ub4dor3x» Port:5432}"],
  ["Rust, Debug", 'Config { host: "db", password: Some("«Tr0ub4dor3x»") }'],
  ["Erlang", '{password, "«Tr0ub4dor3x»"}'],
  ["Clojure", '{:user "app" :password "«Tr0ub4dor3x»"}'],
  ["nginx", `set $api_token "«${random}»";`],
  ["curl -v", `> X-Api-Key: «${random}»\n>`],
  ["git credential fill", "protocol=https\nusername=bob\npassword=«aB3dE6gH9jK2»\n"],
  [".netrc", "machine api.example.com\n  login me@example.com\n  password «hunter22»\n"],
  ["my.cnf", "[client]\npassword=«letmeinnow»\n"],
])("%s: the secret is hidden", (_, marked) => {
  const text = marked.replace(/[«»]/g, "");
  const shown = marked.replace(/«.*?»/g, "[redacted: *]");
  for (const given of [redactor.redact(text), ...streamedEveryWay(redactor, text)])
    expect(given.replace(/\[redacted: [\w ]+\]/g, "[redacted: *]")).toBe(shown);
});

test("aws sts --output text: the key and the secret after its time are hidden", () => {
  const id = ["ASIA", "Q7RTZ4KLMNOPWXYZ"].join("");
  expect(redactor.redact(`CREDENTIALS\t${id}\t2026-11-27T20:00:00Z\t${letters(40)}\tx\n`)).toBe(
    "CREDENTIALS\t[redacted: AWS access key]\tx\n",
  );
});

test.each([
  "password:  16 bytes\ntoken:     963 bytes",
  "      + password                        = (sensitive value)",
  '"Env": ["POSTGRES_PASSWORD_FILE=/run/secrets/db-password", "SECRET_KEY_BASE_DUMMY=1"]',
  "  - Token: gho_************************************",
  "//registry.npmjs.org/:_authToken = (protected)",
  " password_digest | character varying(255) |           | not null |\n token | uuid | not null |",
  "token_type | bearer\npassword   | ********",
  "| `password` | string | yes | The user's password (min 8 chars) |\n| token | string(64) |",
  "| 6 | Delays after a wrong password | **done** |",
  "const all = password |other1;",
  '  --password string   the password (default "$DB_PASSWORD")',
  'level=info msg="password changed" user=bob token_type=refresh session=closed',
  "connect(host=host, user=user, password=password2, token=token_v2)",
  "f(user = user1, password = pass2word)",
  "make install PASSWORD_FILE=/etc/app/pw1 TOKEN_LEN=32",
  `DB_PASSWORD="changeme"\nSECRET_KEY="$\{SECRET_KEY}"\nJWT_SECRET='replace-me-2'`,
  "docker run -e MYSQL_ROOT_PASSWORD=password -e TOKEN=$TOKEN mysql",
  'Environment="PASSWORD_STORE_DIR=%h/.password-store"',
  "password: Some(password2.clone()),\npassword: Some(self.pass1),",
  "Token:tok1.Value Password:cfg.Pass2",
  "{password, Pass2} = lists:keyfind(password, 1, Opts)",
  '<input type="password" name="user[password1]" placeholder="At least 8 characters">',
  "password: string | null; token?: string | undefined;",
  "it(\"rejects a password 'abc' that is too short\", () => {});",
  "The option password \"must be set\" and the token 'user-agent' header.",
  "ALTER TABLE users ADD COLUMN password varchar(255) NOT NULL;",
  "requirepass <password>",
  "ssl_certificate_key /etc/ssl/private/site1.key;",
  'RESET_PASSWORD="reset-password"',
  "[password_hash] => required",
  'if [ -z "$DB_PASSWORD" ]; then PASSWORD=$(pass show db1); fi',
  "Environment=A=b PASSWORD=$PASS LANG=C.UTF-8",
  `  public key: ${key}\n  private key: (hidden)`,
  `-----BEGIN CERTIFICATE-----\n${letters(64)}\n-----END CERTIFICATE-----`,
])("%j stays", (text) => {
  for (const given of [redactor.redact(text), ...streamedEveryWay(redactor, text)]) expect(given).toBe(text);
});
