// Commands that destroy: whole folders, many files, data, and what lies outside the workspace.

import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { leavesWorkspace } from "./outside-path.ts";

const always = new Set([
  "shred",
  "srm",
  "wipefs",
  "fdisk",
  "parted",
  "mkswap",
  "dropdb",
  "rimraf",
  "del-cli",
  "trash",
]);
const machine = new Set(["reboot", "shutdown", "halt", "poweroff", "init"]);
/** Programs whose every path argument is written, moved or removed; of the others below, only the last is. */
const changesAll = new Set([
  "rm",
  "mv",
  "tee",
  "chmod",
  "chown",
  "chgrp",
  "touch",
  "truncate",
  "unlink",
  "rmdir",
  "mkdir",
  "ln",
]);
const changesLast = new Set(["cp", "install", "rsync"]);
const databases = new Set([
  "psql",
  "mysql",
  "mariadb",
  "sqlite3",
  "mongosh",
  "mongo",
  "redis-cli",
  "clickhouse-client",
  "duckdb",
]);
const dropsData =
  /\b(drop\s+(table|database|schema|collection|index|view|user|role)|dropDatabase|truncate|delete\s+from|deleteMany|flushall|flushdb)\b|\.drop\(/i;
/** Tasks of frameworks that empty a database. */
const resetsData =
  /^(db:(drop|reset|purge|schema:load|wipe)|migrate:(fresh|reset|refresh)|flush|reset_db|--force-reset)$/;

export function destroys(call: Invocation): Finding | undefined {
  const { program, args, command } = call;
  const texts = args.map(({ text }) => text);
  if (program === "rm" || program === "unlink" || program === "rmdir") return removal(call);
  if (always.has(program) || program.startsWith("mkfs"))
    return loses(`\`${program}\` overwrites or removes data.`);
  if (machine.has(program)) return loses(`\`${program}\` stops the machine.`);
  if ((program === "find" || program === "fd") && texts.includes("-delete"))
    return loses("It deletes what it finds.", "-delete");
  if (program === "dd") {
    const target = texts.find((text) => text.startsWith("of="))?.slice(3);
    return target && target !== "/dev/null" ? loses("`dd` overwrites its target.") : undefined;
  }
  if (program === "rsync" && texts.some((text) => /^--(del|delete|remove-source)/.test(text)))
    return loses("`rsync` deletes files.");
  if (program === "mv" && /^\/(tmp|dev\/null)/.test(texts.at(-1) ?? ""))
    return loses("What it moves there is gone when the command ends.");
  if (program === "truncate") return loses("`truncate` cuts files.");
  if (program === "crontab") return texts.includes("-l") ? undefined : loses("It replaces scheduled tasks.");
  if (databases.has(program)) {
    const said = [
      ...texts,
      ...command.input,
      ...(command.upstream?.words.map(({ text }) => text) ?? []),
    ].join(" ");
    return dropsData.test(said) ? loses("It drops or deletes data.") : undefined;
  }
  return container(program, texts) ?? framework(program, texts) ?? outside(call);
}

/** `rm file.txt` is an edit; folders, patterns that match everything and names made at run time are not. */
function removal(call: Invocation): Finding | undefined {
  const { program, args, moreArgs } = call;
  const isRecursive = args.some(({ text }) =>
    /^(-[a-zA-Z]*[rR][a-zA-Z]*|--r.*|--no-preserve-root)$/.test(text),
  );
  if (isRecursive && program !== "rmdir") return loses("It deletes folders with all that is in them.");
  const sweeping = args.some(
    ({ text, unknown, pattern }) => unknown || (pattern && /(^|\/)([*?.]|\[[^\]]*\])+$/.test(text)),
  );
  if (sweeping || moreArgs) return loses("It deletes files that are only known when it runs.");
  return outside(call);
}

function container(program: string, texts: readonly string[]): Finding | undefined {
  if (program !== "docker" && program !== "podman" && program !== "docker-compose") return undefined;
  const plain = texts.filter((text) => !text.startsWith("-"));
  const prunes = plain.includes("prune") || (plain[0] === "volume" && plain[1] === "rm");
  const dropsVolumes = plain.includes("down") && texts.some((text) => text === "-v" || text === "--volumes");
  return prunes || dropsVolumes
    ? loses("It removes volumes or images with their data.", plain.slice(0, 2).join(" "))
    : undefined;
}

function framework(program: string, texts: readonly string[]): Finding | undefined {
  if (!/^(rails|rake|php|python[\d.]*|manage\.py|artisan|prisma|sequelize|knex|typeorm|bin)$/.test(program))
    return undefined;
  const prismaReset = program === "prisma" && texts[0] === "migrate" && texts[1] === "reset";
  const resets = prismaReset || texts.slice(0, 3).some((text) => resetsData.test(text));
  return resets ? loses("It empties the database.", texts[0] ?? "") : undefined;
}

function outside({ program, args }: Invocation): Finding | undefined {
  const paths = args.map(({ text }) => text).filter((text) => !text.startsWith("-"));
  const written = changesAll.has(program) ? paths : changesLast.has(program) ? paths.slice(-1) : [];
  const inPlace =
    program === "sed" && args.some(({ text }) => /^(-[a-zA-Z]*i|--in-place)/.test(text))
      ? paths.slice(1)
      : [];
  const path = [...written, ...inPlace].find(leavesWorkspace);
  return path === undefined ? undefined : loses(`It changes ${path}, outside the workspace.`, path);
}

function loses(why: string, subcommand = ""): Finding {
  return { risk: "destructive", why, subcommand };
}
