// Commands that destroy whole folders, many files or data. writing.ts judges what is written to which path.
import { asCode } from "../../shared/as-code.ts";
import { asFileTool } from "./file-tool.ts";
import type { Finding } from "./finding.ts";
import type { Invocation } from "./invocation.ts";
import { goneForGood, isTemporary } from "./no-way-back.ts";
import { isOn, readArguments } from "./options.ts";
import { pathKind } from "./path-kind.ts";

const always = new Set("shred srm wipe rimraf del-cli trash trash-put gio-trash del rd".split(" "));
/** Settings, keys and data that repositories usually do not contain. */
const seldomKept =
  /(^|\/)\.env([.-](?!example|sample|template|dist)[\w-]+)?$|\.(pem|key|p12|pfx|jks|keystore|kdbx|db|sqlite3?)$/i;
/** Tasks of frameworks that delete the contents of a database. */
const resetsData =
  /^(db:(drop|reset|purge|schema:load|wipe|fresh)|migrate:(fresh|reset|refresh)|flush|reset_db|sqlflush|--force-reset)$/;

export function destroys(given: Invocation): Finding[] {
  const call = asFileTool(given);
  return lossesOf(call).map((finding) => (isLost(call) ? { ...finding, lost: true } : finding));
}

/**
 * Whether the loss is permanent: the deletion of files that a snapshot contains can be undone, any other loss cannot.
 */
function isLost(call: Invocation): boolean {
  const { program, args } = call;
  if (program === "find")
    return args.slice(0, 1).some(({ text }) => text.startsWith("/") || text.startsWith("~")) || sweeps(args);
  if (/^(rm|unlink|rmdir|rimraf|del-cli|trash|trash-put|del|rd)$/.test(program))
    return goneForGood(call) || args.some(({ text }) => seldomKept.test(text));
  return true;
}

/** `find . -delete` deletes everything, including files that snapshots do not contain. */
function sweeps(args: readonly { text: string }[]): boolean {
  return !args.some(({ text }) =>
    /^-(i?name|i?path|i?regex|type|empty|newer\w*|mtime|mmin|size|maxdepth)$/.test(text),
  );
}

function lossesOf(call: Invocation): Finding[] {
  const { program, args } = call;
  const texts = args.map(({ text }) => text);
  if (program === "rm" || program === "unlink" || program === "rmdir") return removal(call);
  if (always.has(program) || program.startsWith("mkfs"))
    return [loses(`\`${program}\` overwrites or removes data.`)];
  if (program === "find" && texts.includes("-delete"))
    return [loses("Deletes what it finds.", texts.join(" "))];
  if (program === "rsync") {
    const read = readArguments(args, "e:f:B:rsh:exclude:include:filter:");
    const isDry = isOn(read, ["-n", "--dry-run"]);
    if (!isDry && texts.some((text) => /^--(del|remove-source)/.test(text)))
      return [loses("`rsync` deletes files.")];
  }
  return framework(program, texts);
}

/** How many names to list; the whole command is shown next to its reasons anyway. */
const shownNames = 4;

/** `rm file.txt` counts as an edit. Folders, patterns that match everything, and names created at run time do not. */
function removal(call: Invocation): Finding[] {
  const { program, args, moreArgs } = call;
  if (isTemporary(call)) return [];
  const isRecursive = args.some(({ text }) =>
    /^(-[a-zA-Z]*[rR][a-zA-Z]*|--r.*|--no-preserve-root)$/.test(text),
  );
  if (isRecursive && program !== "rmdir") {
    const names = args.flatMap(({ text }) => (text.startsWith("-") ? [] : [text]));
    const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : "";
    const which =
      moreArgs || names.length === 0 ? "" : ` ${names.slice(0, shownNames).map(asCode).join(", ")}${more}:`;
    return [loses(`Deletes${which} folders with all that is in them.`)];
  }
  const own = args.find(({ text }) => seldomKept.test(text) && pathKind(text) === "kept");
  if (own) return [loses(`Deletes ${asCode(own.text)}: git and snapshots seldom have such a file.`)];
  const sweeping = args.some(
    ({ text, unknown, pattern }) =>
      unknown ||
      (pattern &&
        (/(^|\/)([*?.]|\[[^\]]*\])+$/.test(text) || text.includes("**") || pathKind(text) === "kept")),
  );
  return sweeping || moreArgs ? [loses("Deletes files that are only known when it runs.")] : [];
}

function framework(program: string, texts: readonly string[]): Finding[] {
  if (
    !/^(rails|rake|php|python[\d.]*|manage\.py|artisan|prisma|sequelize|knex|typeorm|mix|bin)$/.test(program)
  )
    return [];
  const prismaReset = program === "prisma" && /^(migrate reset|db push --accept)/.test(texts.join(" "));
  const resets =
    prismaReset ||
    texts.slice(0, 3).some((text) => resetsData.test(text) || /^ecto\.(drop|reset)$/.test(text));
  return resets ? [loses("Empties the database.", texts[0] ?? "")] : [];
}

function loses(why: string, subcommand = ""): Finding {
  return { risk: "destructive", why, subcommand };
}
