// Finds logins by the text around them: in a URL, a header, an option of curl, .netrc, .pgpass.
import { isEncodedLogin, isMixed, isOwnWord, looksRandom } from "./judge-value.ts";
import { endOf, type SecretRule } from "./rule.ts";

const maxUserChars = 128;
const maxPasswordChars = 512;

const user = new RegExp(`[^\\s/:@"'\`<>|,;()\\\\]{0,${maxUserChars}}`, "y");
const password = new RegExp(`[^\\s/@"'\`<>|]{0,${maxPasswordChars}}`, "y");
/** Not every program escapes an `@` in a password, so the last `@` before the host counts. */
const morePassword = /(?:@[^\s/@"'`<>|,;?#()[\]{}\\]{1,64}(?=@[\w[])){0,3}/y;
const openPassword = /(?:@[^\s/@"'`<>|,;?#()[\]{}\\]{0,64}){0,4}/y;
const standIn =
  /^(?:(?:my|your|the|db|user|some)?[-_]?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token)\d{0,3}|\[.*|:.*|\d{1,5})$/i;

/** `scheme://user:password@host`: hides only the password, or a token in place of the user. */
export const urlLogin: SecretRule = (text, at, ended) => {
  const from = at + (text[at + 1] === "\\" ? 5 : 3);
  const userEnd = endOf(user, text, from);
  if (!ended && userEnd === text.length) return { holdFrom: from };
  const name = text.slice(from, userEnd);
  if (text[userEnd] === "@")
    return looksRandom(name, 24) && !/^[\da-f]{32}$/.test(name)
      ? { from, to: userEnd, kind: "secret" }
      : undefined;
  if (text[userEnd] !== ":") return undefined;
  const first = endOf(password, text, userEnd + 1);
  const to = endOf(morePassword, text, first);
  if (!ended && endOf(openPassword, text, first) === text.length) return { holdFrom: userEnd + 1 };
  const value = text.slice(userEnd + 1, to);
  if (text[to] !== "@" || value === name || standIn.test(value) || !isOwnWord(value, 3)) return undefined;
  return { from: userEnd + 1, to, kind: "password" };
};

const maxTokenChars = 4_096;
const schemeRoom = /[ \t+]{0,8}/y;
const headerRoom = /\\{0,4}["'`]?\]?[ \t]{0,8}(?:=>|[:=,])[ \t]{0,8}[fbru]?\\{0,4}["'`]?[ \t]{0,8}/y;
const schemeName =
  /(?:bearer|basic|token|apikey|api-key|api-token|key|bot|digest|negotiate|ntlm|splunk)[ \t]{1,8}/iy;
const headerValue = new RegExp(`[\\w.~+/=:@!*%-]{0,${maxTokenChars}}`, "y");
/** The most characters from `Authorization` to its value, including punctuation and the scheme. */
const maxHeaderChars = 72;

/** `Authorization: Bearer …`, in any notation. */
export const authorization: SecretRule = (text, at, ended) => {
  const name = at + "authorization".length;
  const room = endOf(headerRoom, text, name);
  if (!ended && text.length - name < maxHeaderChars && !text.includes("\n", name))
    return /^[\\"'`\]:=,> \t]/.test(text.slice(name)) ? { holdFrom: name } : undefined;
  if (room === name) return undefined;
  return tokenAt(text, endOf(schemeName, text, room), ended);
};

/** `Bearer …` outside a header, and `Basic …` if it contains a login. */
export const bearer: SecretRule = (text, at, ended) =>
  tokenAt(text, endOf(schemeRoom, text, at + "bearer".length), ended);

export const basic: SecretRule = (text, at, ended) =>
  tokenAt(text, endOf(schemeRoom, text, at + "basic".length), ended, encodedLogin);

/** How many characters of `value` are a login in base64: all of it, or its beginning up to the `=`; 0 = none. */
function encodedLogin(value: string): number {
  const padded = value.slice(0, endOf(/[^=]*=+/y, value, 0));
  const login = [value, padded].find((part) => part.length >= 8 && isEncodedLogin(part));
  return login?.length ?? 0;
}

/** A run of 32 or more hexadecimal digits is a key, even if it does not look random. */
const hexKey = /^(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{32,}$/i;

function tokenLength(run: string): number {
  const value = run.replace(/[.:]+$/, "");
  return looksRandom(value, 10) || hexKey.test(value) ? value.length : encodedLogin(value);
}

function tokenAt(text: string, from: number, ended: boolean, lengthOf = tokenLength) {
  const to = endOf(headerValue, text, from);
  if (!ended && to === text.length) return { holdFrom: from };
  const length = lengthOf(text.slice(from, to));
  return length > 0 ? { from, to: from + length, kind: "login" } : undefined;
}

const lineChars = 240;
const login = /[ \t=]{0,4}\\{0,4}["']?([^\s"':]{0,128})(:)([^\s"']{0,256})/y;
const windowsLogin = /[ \t=]{0,4}\\{0,4}["']?([^\s"'%]{0,128})(%)([^\s"']{0,256})/y;
const openLogin = /[ \t=]{0,4}\\{0,4}["']?[^\s"':]{0,128}:?[^\s"']{0,256}/y;

/** `curl -u user:password`, `http -a user:password`, `smbclient -U user%password`. */
export const userOption: SecretRule = (text, at, ended) => {
  const option = endOf(/[ \t](?:-u|--user|--proxy-user|-U|-a)/y, text, at);
  const line = text.slice(Math.max(0, at - lineChars), at);
  const isWindows = /\b(?:smb|rpc)[a-z]{3,8}[ \t]?[^|\n;]*$/.test(line);
  const client =
    text[option - 1] === "a"
      ? /(?:^|[\s$])(?:https?|xh)(?:[ \t][^|\n;]*)?$/
      : /(?:curl|https?|wget|xh)\b(?:[^|\n\\]|\\[\s\S])*$/i;
  if (!isWindows && !client.test(line)) return undefined;
  if (!ended && endOf(openLogin, text, option) === text.length) return { holdFrom: option };
  const given = isWindows ? windowsLogin : login;
  given.lastIndex = option;
  const [whole = "", name, , value = ""] = given.exec(text) ?? [];
  if (value === name || standIn.test(value) || !isOwnWord(value, 3)) return undefined;
  const to = option + whole.length;
  return { from: to - value.length, to, kind: "password" };
};

const netrcLine =
  /(?:machine[ \t]{1,8}[^\s]{1,128}\s{1,24})?(?:login[ \t]{1,8}[^\s]{1,128}\s{1,24})?(?:account[ \t]{1,8}[^\s]{1,128}\s{1,24})?password[ \t]{1,8}([^\s]{1,256})/y;
const openNetrc =
  /(?:machine|login)(?:[ \t]{1,8}(?:[^\s]{0,128}(?:\s{1,24}(?:[a-z]{0,8}(?:[ \t]{1,8}[^\s]{0,256}(?:\s{1,24}(?:[a-z]{0,8}(?:[ \t]{1,8}[^\s]{0,256})?)?)?)?)?)?)?)?/y;

/** `machine HOST login NAME password SECRET`, on one line or several. */
export const netrc: SecretRule = (text, at, ended) => {
  if (!ended && endOf(openNetrc, text, at) === text.length)
    return { holdFrom: Math.min(at + 7, text.length) };
  netrcLine.lastIndex = at;
  const [whole = "", value = ""] = netrcLine.exec(text) ?? [];
  if (!isOwnWord(value, 3)) return undefined;
  if (!whole.startsWith("machine") && !isMixed(value)) return undefined;
  const to = at + whole.length;
  return { from: to - value.length, to, kind: "password" };
};

const pgpass = /:(?:54\d\d|6432|\*):[^:\s]{1,64}:[^:\s]{1,64}:(\S{1,256})(?=[\r\n]|$)/y;
const openPgpass = /:[\d*]{0,4}(?::(?:[^:\s]{0,64}(?::(?:[^:\s]{0,64}(?::\S{0,256})?)?)?)?)?/y;

/** `host:5432:database:user:password`, a line of `.pgpass`. */
export const pgpassLine: SecretRule = (text, at, ended) => {
  if (!ended && endOf(openPgpass, text, at) === text.length)
    return { holdFrom: Math.min(at + 6, text.length) };
  pgpass.lastIndex = at;
  const [whole = "", value = ""] = pgpass.exec(text) ?? [];
  if (!isOwnWord(value, 3)) return undefined;
  return { from: at + whole.length - value.length, to: at + whole.length, kind: "password" };
};
