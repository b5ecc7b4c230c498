// A file that the agent wants to write: its path and, in full, its new content or its changes.
import * as z from "zod/mini";
import { Edit } from "../../shared/hashline/edit.ts";
import { Command } from "../components/command.tsx";

const AskedChange = z.object({
  path: z.string(),
  content: z.optional(z.string()),
  base: z.optional(z.nullable(z.string())),
  edits: z.optional(z.array(Edit)),
});
type AskedChange = z.infer<typeof AskedChange>;

/** The arguments of a call that writes a file; null for another call, or if they cannot be parsed. */
export function askedFile(name: string, json: string): AskedChange | null {
  if (name !== "write_file" && name !== "edit_file") return null;
  try {
    return z.parse(AskedChange, JSON.parse(json));
  } catch {
    return null;
  }
}

/** What an edit does, in words, and the lines that it removes and adds. */
export interface EditWords {
  does: string;
  gone?: string;
  comes?: string;
}

export function editWords(edit: Edit): EditWords {
  switch (edit.op) {
    case "replace":
      return { does: `Replaces ${rows(edit)} by`, comes: edit.lines.join("\n") };
    case "delete":
      return { does: `Deletes ${rows(edit)}` };
    case "insert_before":
      return { does: `Adds before line ${edit.at}`, comes: edit.lines.join("\n") };
    case "insert_after":
      return { does: `Adds after line ${edit.at}`, comes: edit.lines.join("\n") };
    case "move":
      return {
        does: `Moves ${rows(edit)} to ${edit.after === undefined ? `before line ${edit.before ?? "?"}` : `after line ${edit.after}`}`,
      };
    case "append":
      return { does: "Adds at its end", comes: edit.lines.join("\n") };
    case "prepend":
      return { does: "Adds at its beginning", comes: edit.lines.join("\n") };
    case "replace_text":
      return { does: edit.all ? "Replaces, each time" : "Replaces", gone: edit.old, comes: edit.new };
  }
}

function rows({ at, to }: { at: string; to?: string | undefined }): string {
  return to === undefined ? `line ${at}` : `lines ${at} to ${to}`;
}

export function AskedFile({ file }: { file: AskedChange }) {
  const { path, content, base, edits = [] } = file;
  return (
    <>
      <div class="command-box">
        <p>
          {content === undefined ? "Changes " : base ? "Replaces all of " : "Writes "}
          <Command text={path} />
          {content === "" && ", empty"}
        </p>
        {content !== undefined && content !== "" && <pre class="command">{content}</pre>}
      </div>
      {edits.map((edit, index) => (
        <Change key={index} words={editWords(edit)} />
      ))}
    </>
  );
}

function Change({ words: { does, gone, comes } }: { words: EditWords }) {
  return (
    <div class="command-box">
      <p>{does}</p>
      {gone !== undefined && <pre class="command">{gone}</pre>}
      {gone !== undefined && <p>by</p>}
      {comes !== undefined && <pre class="command">{comes}</pre>}
    </div>
  );
}
