// What the tools that change files say of it: the new version, warnings, and the rows as they are now.
import type { ChangedFile, ChangeValue } from "../../shared/sandbox.ts";
import { clip } from "../calls/clip.ts";
import { gapWithRemedy, sized, type ValueText } from "../calls/result-text.ts";
import { limits } from "../limits.ts";

export function changeText({ files }: ChangeValue): ValueText {
  const facts = files.map(({ path, added, removed, diff }) => ({
    path,
    added,
    removed,
    diff: clip(diff, limits.maxFactDiffBytes),
  }));
  return {
    text: sized(files.map(fileText).join("\n"), gapWithRemedy("read the file for them")),
    facts: { files: facts },
  };
}

function fileText({ path, version, added, removed, warnings, rows }: ChangedFile): string {
  const now = version === null ? `${path} is gone` : `[${path} @${version}] +${added} -${removed}`;
  return [now, ...warnings.map((warning) => `warning: ${warning}`), rows]
    .filter((line) => line !== "")
    .join("\n");
}
