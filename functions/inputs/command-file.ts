// One file of a command or a skill: its front matter, its text, and the arguments put into it. Pure; nothing in it runs.

export interface CommandFile {
  /** Keys of the front matter, with their values on one line. */
  fields: ReadonlyMap<string, string>;
  body: string;
}

/** Reads as much of YAML as such files use: `key: value`, quotes, and values that go on in indented lines. */
export function readCommandFile(text: string): CommandFile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end =
    lines[0]?.trimEnd() === "---" ? lines.findIndex((line, at) => at > 0 && /^---\s*$/.test(line)) : -1;
  if (end < 0) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  let key = "";
  for (const line of lines.slice(1, end)) {
    const [, name, value = ""] = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) {
      key = name.toLowerCase();
      // `>`, `|-` and the like: the text follows, indented.
      fields.set(key, /^[>|][+-]?\d?$/.test(value.trim()) ? "" : value.trim());
    } else if (/^\s+\S/.test(line) && key !== "") {
      fields.set(key, `${fields.get(key) ?? ""} ${line.trim()}`.trim());
    }
  }
  for (const [name, value] of fields) fields.set(name, unquoted(value));
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

function unquoted(value: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')$/.exec(value) ?? [];
  return double?.replace(/\\(.)/g, "$1") ?? single?.replaceAll("''", "'") ?? value;
}

const maxDescriptionChars = 200;

/** What the file is for, on one line: its `description`, else its first words. */
export function describeCommand({ fields, body }: CommandFile): string {
  const said = fields.get("description") || body.split("\n").find((line) => line.trim() !== "") || "";
  const line = said
    .replace(/^#+\s*/, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > maxDescriptionChars ? `${line.slice(0, maxDescriptionChars - 1)}…` : line;
}

/**
 * The text with the arguments in place of `$ARGUMENTS` (all of them) and `$1` to `$9` (one each; quotes hold words
 * together). A text that has no place for them gets them at its end.
 */
export function withArguments(body: string, given: string): string {
  const words = [...given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
  let placed = false;
  const text = body.replace(/\$ARGUMENTS\b|\$([1-9])(?!\d)/g, (_, number?: string) => {
    placed = true;
    return number === undefined ? given : (words[Number(number) - 1] ?? "");
  });
  return placed || given === "" ? text : `${text}\n\nArguments: ${given}`;
}
