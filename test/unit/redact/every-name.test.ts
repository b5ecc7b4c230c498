// Each name that announces a secret, in every language, and each word in a name that says the opposite. All values are
// made up.
import { describe, expect, test } from "vitest";
import { foreignPasswords, foreignSecrets } from "../../../shared/redact/foreign-names.ts";
import { createRedactor } from "../../../shared/redact/redactor.ts";
import { letters } from "./made-up.ts";

const { redact } = createRedactor();
const chosen = "Tr0ub4dor&3x";
/** Too short and too regular for a value of which only the name `key` is known. */
const short = letters(17);
const long = letters(40);

const words = (...lines: string[]) => lines.flatMap((line) => line.split(" "));
const isHidden = (name: string, value: string, sign = "=") =>
  !redact(`${name}${sign}${value}\n`).includes(value);

const passwords = words(
  "kennwort passord wachtwoord adgangskode losenord lösenord salasana contrasena contraseña contrasenya senha",
  "palavra_passe motdepasse mot_de_passe mdp parola haslo hasło heslo lozinka jelszo jelszó sifre şifre",
  "пароль 密码 密碼 口令 パスワード 비밀번호 암호",
);
const secrets = words(
  "geheimnis schluessel schlüssel clave segredo chave segreto chiave cle_api clé_api klucz",
  "ключ секрет токен 密钥 密鑰 令牌 秘密鍵 トークン",
);

describe("names in other languages", () => {
  test.each(passwords)("%s announces a password", (name) => {
    for (const before of ["", "db_"]) expect(isHidden(before + name, chosen)).toBe(true);
    expect(isHidden(name, letters(16), "：")).toBe(true);
  });

  test.each(secrets)("%s announces a secret", (name) => {
    for (const before of ["", "x_"]) expect(isHidden(before + name, short)).toBe(true);
    expect(isHidden(name, short, "：")).toBe(true);
  });

  test("every name of the tables is among these", () => {
    expect(foreignPasswords.filter((name) => !passwords.includes(name))).toEqual([]);
    expect(foreignSecrets.filter((name) => !secrets.includes(name))).toEqual([]);
  });
});

describe("English names", () => {
  test.each(
    words(
      "pass db_pass password passwd pass_phrase passcode passwords pwd pwd2 db_pw PASSWORT psk wifi_psk pswd passphrase pass_hash2 passcode_db pwd_prod db_pw_prod",
    ),
  )("%s announces a password", (name) => {
    expect(isHidden(name, chosen)).toBe(true);
  });

  test.each(
    words(
      "client_secret api_token app_creds salt jwt session_id cookie GITHUB_PAT GITHUB_PAT_PROD auth_code proxy_auth_code",
    ),
  )("%s announces a secret", (name) => {
    expect(isHidden(name, short)).toBe(true);
  });

  test.each(
    words(
      "api access private encryption encrypt signing master account service auth client app application shared server",
      "storage crypto license licence consumer deploy hmac aes admin webhook secure user instrumentation subscription",
      "integration function functions connection secondary openai security ingest ingestion write read rest project",
      "team org bot dev prod production live test",
    ),
  )("the key of %s is a secret, a key alone needs more", (of) => {
    for (const name of [`${of}_key`, `${of}_keys`, `${of}_key_2`])
      expect(isHidden(name, short), name).toBe(true);
    expect(isHidden("some_key", short)).toBe(false);
    expect(isHidden("some_key", long)).toBe(true);
  });
});

describe("what is no secret by its name", () => {
  test.each(
    words(
      "compass bypass surpass trespass monkey turkey hotkey jockey tokenizer_config tokenise secretary basalt credit",
      "incredible_things sacred",
    ),
  )("%s only contains such a word", (name) => {
    expect(isHidden(name, long)).toBe(false);
  });

  test.each(
    words(
      "public publishable pub primary foreign partition sort cache query idempotency registry site group bucket row",
      "map object host known csrf xsrf next_page page cancel cancellation continuation sync pagination deduplication",
      "routing translation i18n lookup unique natural composite index hash react item list arrow shift num last first",
      "max min",
    ),
  )("a %s token or key", (of) => {
    for (const name of [`${of}_token`, `${of}Key`, `x_${of}_keys`, `${of}_secret`, `${of}_key_2`])
      expect(isHidden(name, long), name).toBe(false);
  });

  test.each(
    words(
      "id ids name names url uri urls path paths file files filename dir type types length len size count counts field",
      "fields column header headers label title text placeholder hint help error errors message policy expires expiry",
      "expiration expired in at ttl timeout limit endpoint host prefix suffix format algorithm algo alg version arn",
      "fingerprint digest checksum input selector class icon page route enabled required valid regex pattern schema",
      "param params provider manager service store factory issuer audience scope scopes usage method strategy mode",
      "link ref reference alias manufacturer code_challenge changed updated created domain location signature",
      "integrity image tag digit",
    ),
  )("the %s of a token", (what) => {
    expect(isHidden(`auth_token_${what}`, long)).toBe(false);
  });

  test.each(words("session_id sessionId file_token name_secret author_token passportSecret keyring_token"))(
    "%s holds one all the same",
    (name) => {
      expect(isHidden(name, short)).toBe(true);
    },
  );
});
