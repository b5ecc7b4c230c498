// Database clients: connections to other machines, and statements that delete data.

import { asCode } from "../../shared/as-code.ts";
import { isLoopbackUrl, nameOf, otherHost } from "./address.ts";
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { readArguments, valuesOf } from "./options.ts";
import { replaceReason } from "./path-kind.ts";
import type { Word } from "./shell-word.ts";

/**
 * `PROGRAM[!] OPTIONS`: with `!`, the first operand may be a host. Otherwise the host is the value of one of
 * `hostOptions`.
 */
const clients: ReadonlyMap<string, { spec: string; operandIsHost: boolean }> = new Map(
  `
psql c:d:f:h:p:U:v:o:F:P:R:T:L:command:dbname:file:host:port:username:set:variable:output:pset:log-file:
pg_dump d:f:F:h:p:U:n:N:t:T:j:Z:S:dbname:file:host:port:username:schema:table:format:
pg_dumpall d:f:h:p:U:l:dbname:file:host:port:username:
pg_restore d:f:F:h:p:U:n:t:j:dbname:file:host:port:username:
pg_isready d:h:p:U:t:dbname:host:port:username:
createdb h:p:U:O:T:E:host:port:username:owner:template:
createuser h:p:U:host:port:username:
vacuumdb h:p:U:d:t:host:dbname:
pgbench h:p:U:c:j:T:t:f:host:
mysql h:u:P:D:e:S:host:user:port:database:execute:socket:default-character-set:ssl-ca:
mariadb h:u:P:D:e:S:host:user:port:database:execute:socket:
mysqldump h:u:P:S:r:w:host:user:port:socket:result-file:
mysqladmin h:u:P:S:host:user:port:
mysqlimport h:u:P:host:
mariadb-dump h:u:P:host:
redis-cli h:p:u:a:n:s:r:i:d:x?host:port:user:pass:
valkey-cli h:p:u:a:n:s:r:i:host:port:
mongosh! u:p:f:eval:host:port:username:password:file:authenticationDatabase:
mongo! u:p:eval:host:port:username:password:
mongodump h:d:c:u:p:o:uri:host:db:collection:out:archive:
mongorestore h:d:c:u:p:uri:host:db:collection:dir:archive:
mongoexport h:d:c:u:p:o:uri:host:db:collection:out:
mongoimport h:d:c:u:p:uri:host:db:collection:file:
clickhouse-client h:u:q:d:host:port:user:password:query:database:
cqlsh! u:p:e:f:k:execute:file:keyspace:
influx host:port:execute:database:
sqlcmd S:U:P:Q:q:i:d:o:server:
usql! c:f:command:file:
pgcli! h:p:U:d:u:host:port:dbname:
mycli! h:P:u:D:host:port:
cypher-shell a:u:p:d:address:uri:file:
etcdctl endpoints:
sqlite3
litecli e:execute:
sqlite-utils
duckdb c:s:f:
`
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", ...spec] = line.split(" ");
      return [name.replace("!", ""), { spec: spec.join(" "), operandIsHost: name.endsWith("!") }] as const;
    }),
);
const hostOptions = ["-h", "--host", "--uri", "--server", "-S", "--address", "-a", "--endpoints"];
const dropsData =
  /\b(drop\s+(table|database|schema|collection|index|view|user|role)|dropDatabase|truncate|delete\s+from|deleteMany|flushall|flushdb|shutdown|config\s+set)\b|\.drop\(|\bto\s+program\b|\bfrom\s+program\b|\binto\s+outfile\b|load_extension|dblink|\bedit\s*\(|pg_read_file|copy\b[\s\S]*\bprogram\b/i;
/** The client's own commands that run programs or write files. */
const runsShell =
  /(^|[\s;'"])(-o ?\||\\!|\\g?\s*\||\\o\s|\\w\s|\.(sh(el*)?|sy\w*|o[un]\w*|sa\w*|bac\w*|re[as]\w*|clon\w*|im\w*|loa\w*|exc\w*|w+)\b|system\s)\s*([^'";]*)/;

/** Files that a statement of sqlite3 or duckdb writes; one group holds the name. */
const writesFile =
  /(?:\bwritefile\s*\(|\bvacuum\b[^;]*?\binto|\bcopy\b[^;]*?\bto|\bexport\s+database)\s*['"]([^'"]+)['"]/gi;
/** `\copy … to FILE` of psql. Without its backslash, `copy` writes on the database's machine: both groups hold a name. */
const copiesTo = /(\\?)\bcopy\b[^;]*?\bto\s+(?!p?stdout\b)(?:'([^']+)'|([^\s;'"]+))/gi;
const plainWord: Omit<Word, "text"> = { unknown: false, pattern: false, quoted: false, scripts: [] };

export function usesDatabase(call: Invocation): Finding[] {
  const client = clients.get(call.program);
  if (!client) return [];
  const read = readArguments(call.args, client.spec);
  const isLocalKind = /^(sqlite3|litecli|sqlite-utils|duckdb)$/.test(call.program);
  const options = hostOptions.filter(
    (name) =>
      !(/^(mysql|mariadb)/.test(call.program) && name === "-S") &&
      !(name === "-a" && call.program !== "cypher-shell"),
  );
  const uriShort = /^(redis|valkey)-cli$/.test(call.program) ? valuesOf(read, "-u") : [];
  const hosts = [...valuesOf(read, ...options), ...uriShort, ...loose(call.args)];
  const databases = isLocalKind ? [] : [...read.operands, ...valuesOf(read, "-d", "--dbname", "--dbname")];
  const away = hosts.find(isAway) ?? databases.find((word) => namesHost(word, client.operandIsHost));
  const found: Finding[] = [];
  if (away) found.push(remote(call.program, away));
  const said = [
    ...call.args.map(({ text }) => text),
    ...call.command.input,
    ...(call.command.upstream?.words.map(({ text }) => text) ?? []),
  ].join(" ");
  if (dropsData.test(said))
    found.push({
      risk: "destructive",
      lost: true,
      why: "Drops or deletes data, or lets the database run programs.",
      subcommand: "",
    });
  for (const [, path = ""] of isLocalKind ? said.matchAll(writesFile) : []) {
    const why = replaceReason({ ...plainWord, text: path }, false);
    if (why !== undefined) found.push({ risk: "destructive", why, subcommand: path });
  }
  for (const [, isOwn, quoted, bare] of call.program === "psql" ? said.matchAll(copiesTo) : []) {
    const path = quoted ?? bare ?? "";
    const why = isOwn
      ? replaceReason({ ...plainWord, text: path }, false)
      : `The database writes ${asCode(path)} on its machine.`;
    if (why !== undefined)
      found.push({ risk: "destructive", why, subcommand: path, ...(isOwn ? {} : { lost: true }) });
  }
  const url = call.program === "duckdb" ? otherHost(said, false) : undefined;
  if (url !== undefined) found.push(remote(call.program, { ...plainWord, text: url }));
  if (call.program === "duckdb" && /\binstall\s+['"]?\w/i.test(said))
    found.push({ risk: "remote", why: "Fetches an extension and runs it.", subcommand: said });
  const shell = runsShell.exec(said);
  if (shell)
    found.push({
      risk: "destructive",
      unknown: true,
      why: `\`${call.program}\` is told to run a program or write a file: ${asCode(shell[0])}`,
      subcommand: said,
    });
  return found;
}

/** `-host evil`, for clients whose long options have one dash. */
function loose(args: readonly Word[]): Word[] {
  return args.flatMap((_, at) => (args[at - 1]?.text === "-host" ? (args[at] ?? []) : []));
}

function isAway({ text, unknown }: Word): boolean {
  // A folder is where the socket of a local server is.
  if (text.startsWith("/") && !unknown) return false;
  return !isLoopbackUrl(text);
}

/** A database that is given as a URL, as `host=… dbname=…`, or, for some clients, as `host/db`. */
function namesHost(word: Word, operandIsHost: boolean): boolean {
  const { text, unknown } = word;
  const given = /\b(?:host(?:addr)?|service)\s*=\s*'?([^\s']+)/.exec(text)?.[1];
  if (given !== undefined) return isAway({ ...word, text: given });
  if (unknown && /^[$`]/.test(text)) return true;
  return (
    operandIsHost &&
    /^[\w.-]+([:/]|$)/.test(text) &&
    /[.:/]/.test(text) &&
    !isLoopbackUrl(text) &&
    !/\.(js|mongodb|sql|cql)$/.test(text)
  );
}

function remote(program: string, word: Word): Finding {
  const isKnown = !/[$`]/.test(word.text);
  return {
    risk: "remote",
    why: isKnown
      ? `\`${program}\` talks to a database at ${asCode(/\bhost/.test(word.text) ? word.text : nameOf(word.text))}.`
      : `\`${program}\` talks to a database whose address is only known when it runs.`,
    subcommand: word.text,
  };
}
