// Whether a call writes to settings that editors and shells on the machine execute. The person is asked, because such
// files can start programs. This only prevents accidents: the sandbox itself refuses such writes without the person's
// permission.

import { asCode } from "../../shared/as-code.ts";
import { namesEditorSettings } from "../../shared/editor-names.ts";
import type { OpName } from "../../shared/sandbox.ts";
import { parseCommandLine } from "./command-line.ts";
import type { CommandRisk } from "./finding.ts";

const why =
  "It changes how an editor, an agent or a shell on your machine behaves; such files can start programs.";

/** Programs that only read the files they are given. */
const looking = new Set(
  "cat ls head tail grep rg egrep fgrep less more wc file stat test [ diff cmp find tree du jq git echo printf cd pwd".split(
    " ",
  ),
);

/** The question for `call`, if it needs one. */
export function editorRisk({
  op,
  args,
}: {
  op: OpName;
  args: Record<string, unknown>;
}): CommandRisk | undefined {
  const named =
    op === "change" ? changedPath(args) : op === "exec" ? writtenPath(String(args.command)) : undefined;
  return named === undefined
    ? undefined
    : {
        risk: "destructive",
        unknown: true,
        why: `${asCode(named)}: ${why}`,
        program: "editor settings",
        subcommand: named,
      };
}

function changedPath(args: Record<string, unknown>): string | undefined {
  const files = Array.isArray(args.files) ? args.files : [];
  const paths = files.flatMap((file: Record<string, unknown>) => [file.path, file.moveTo]);
  return paths.filter((path) => typeof path === "string").find(namesEditorSettings);
}

function writtenPath(command: string): string | undefined {
  for (const { words, redirects } of parseCommandLine(command).commands) {
    const target = redirects.find(({ to, target: { text } }) => to && namesEditorSettings(relative(text)));
    if (target) return target.target.text;
    const [program, ...rest] = words.map(({ text }) => text);
    if (program === undefined || looking.has(program)) continue;
    const named = rest.find((text) => namesEditorSettings(relative(text.replace(/^[^=]*=/, ""))));
    if (named !== undefined) return named;
  }
  return undefined;
}

function relative(path: string): string {
  return path.replace(/^(\.\/)+/, "");
}
