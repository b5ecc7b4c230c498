// Puts the engine's notices to the model into words for the person, by the source of the notice.
import * as z from "zod/mini";
import { asCode } from "../../shared/as-code.ts";
import { LookValue } from "../../shared/look.ts";
import { plural } from "../../shared/session/session-summary.ts";

const maxNames = 3;

/** `content` is the text for the model. Undefined if its own first line suits the person too. */
export function noticeWords(
  source: string,
  data: Record<string, unknown>,
  content: string,
): string | undefined {
  switch (source) {
    case "go_on":
      return "You told it to go on";
    case "approval":
      return `You approved version ${String(data.version)}`;
    case "rewind":
      return /went back to before step \d+/.exec(content)?.[0].replace(/^/, "You ");
    case "open_points":
      return "The plan left points open: they are asked first";
    case "project_instructions":
      return /^Read (.*?): the project's instructions\./
        .exec(content)?.[1]
        ?.replace(
          /.+/,
          (all) => `Read ${all.split(", ").map(asCode).join(", ")}, the project's instructions`,
        );
    case "workspace_changes":
      return changed(data);
    case "model":
      return /^(?:The answer before this was empty|Your reasoning was not closed)/.test(content)
        ? "The model's answer was empty, so it was asked again"
        : undefined;
  }
}

function changed(data: Record<string, unknown>): string | undefined {
  const looked = z.safeParse(LookValue, data);
  if (!looked.success) return undefined;
  const { files, moved } = looked.data;
  if (files.length === 0) return moved && "The branch moved, and not by the agent";
  const names = files.slice(0, maxNames).map(({ path }) => asCode(path));
  const more = files.length - names.length;
  const all = more > 0 ? `${names.join(", ")} and ${plural(more, "more file")}` : names.join(", ");
  return `${all} changed since the agent last read ${files.length === 1 ? "it" : "them"}`;
}
