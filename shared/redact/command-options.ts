// Finds passwords after one-letter options, which are recognised by their command: `mysql -pPASSWORD`, `redis-cli -a
// PASSWORD`.
import { isOwnWord } from "./judge-value.ts";
import { endOf, lookBehindChars, type SecretRule } from "./rule.ts";

/** The command on the line before the option, and the option with the space after it. */
const options: readonly (readonly [command: RegExp, option: RegExp])[] = [
  [/sshpass[^|\n]*$/, / -p[ \t]{0,4}/y],
  [/(?:mysql\w*|mariadb[\w-]*|mongo\w*)[ \t][^|\n]*$/, / -p(?=\S)/y],
  [/\b(?:7z[az]?|rar)[ \t][^|\n]*$/, / -p(?=\S)/y],
  [
    /\b(?:docker|podman|nerdctl|buildah|skopeo|registry|az|oc)[ \t]+login\b[^|\n;&]*$/,
    / -p[ \t]{1,4}(?=[^\s-])/y,
  ],
  [/\bmongo\w*[ \t][^|\n;&]*$/, / -p[ \t]{1,4}(?=[^\s-])/y],
  [/\b(?:sqlcmd|bcp)[ \t][^|\n]*$/, / -P[ \t]{0,4}(?=[^\s-])/y],
  [/\bzip[ \t]?[^|\n;&]*$/, / -P[ \t]{1,4}(?=[^\s-])/y],
  [/\bredis-cli\b[^|\n;&]*$/, / -a[ \t]{1,4}(?=[^\s-])/y],
  [/\bldap[a-z]{3,8}\b[^|\n;&]*$/, / -w[ \t]{0,4}(?=[^\s-])/y],
];

/** The longest option with its space, and the text that follows. */
const optionChars = 8;
const value = /[^\s]{0,140}/y;

export const shortOption: SecretRule = (text, at, ended) => {
  const line = text.slice(Math.max(0, at - lookBehindChars + optionChars), at);
  const known = options.filter(([command]) => command.test(line));
  if (known.length === 0) return undefined;
  if (!ended && text.length - at < optionChars) return { holdFrom: at };
  const from = known.map(([, option]) => endOf(option, text, at)).find((end) => end > at);
  if (from === undefined) return undefined;
  const end = endOf(value, text, from);
  if (!ended && end === text.length) return { holdFrom: from };
  const own = text.slice(from, end).replace(/^\\*["']|\\*["']$/g, "");
  const place = text.indexOf(own, from);
  if (!isOwnWord(own, 3)) return undefined;
  return { from: place, to: place + own.length, kind: "password" };
};
