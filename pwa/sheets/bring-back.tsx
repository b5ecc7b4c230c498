// The parts of the sheet that brings work back from a worktree: what comes back, how, and which conflicts are in its
// way.
import type { Signal } from "@preact/signals";
import { plural } from "../../shared/session/session-summary.ts";
import type { BringBack, BroughtBack, WorktreeState } from "../../shared/worktree.ts";
import { oneLineOf } from "../components/shown-text.ts";

/** By path: which version of a file with conflicts is taken. */
export type Sides = Record<string, "session" | "folder">;

const ways: readonly [BringBack["how"], string][] = [
  ["merge", "Merge"],
  ["pick", "Pick files"],
];

interface FilesBackProps {
  state: WorktreeState;
  how: Signal<BringBack["how"]>;
  /** The files that are not brought back. */
  left: Signal<ReadonlySet<string>>;
}

export function FilesBack({ state, how, left }: FilesBackProps) {
  const { files, total = files.length, commits, behind, into, folder, conflicts } = state;
  if (files.length === 0) return null;
  const turn = (path: string) => {
    const next = new Set(left.value);
    if (!next.delete(path)) next.add(path);
    left.value = next;
  };
  const target = into ?? folder;
  const words = [
    how.value === "merge"
      ? `${commits === 0 ? "One commit" : `${plural(commits, "commit")}${state.uncommitted ? " and one with what is uncommitted" : ""}`} into ${target}.`
      : `Files as they are here go to ${folder}, uncommitted. The branch keeps its commits.`,
    behind > 0 && `${target} has ${plural(behind, "commit")} more, merged first.`,
    conflicts.length > 0 && `Conflicts were left here in ${conflicts.join(", ")}.`,
  ];
  return (
    <>
      <div class="segments" role="radiogroup" aria-label="How to bring it back">
        {ways.map(([way, name]) => (
          <label key={way} class={how.value === way ? "on" : ""}>
            <input
              type="radio"
              name="how it comes back"
              checked={how.value === way}
              onChange={() => (how.value = way)}
            />
            {name}
          </label>
        ))}
      </div>
      <p class="muted">{oneLineOf(words.filter(Boolean).join(" "))}</p>
      <ul class="back-list">
        {files.map(({ path, added, removed }) => (
          <li key={path}>
            {how.value === "pick" ? (
              <label>
                <input type="checkbox" checked={!left.value.has(path)} onChange={() => turn(path)} />{" "}
                <code>{oneLineOf(path)}</code>
              </label>
            ) : (
              <code>{oneLineOf(path)}</code>
            )}{" "}
            <span class="muted">{added + removed === 0 ? "new, or no text" : `+${added} −${removed}`}</span>
          </li>
        ))}
      </ul>
      {total > files.length && (
        <p class="muted">
          And {plural(total - files.length, "more file")}
          {how.value === "pick" && left.value.size > 0 ? ", which stay here." : "."}
        </p>
      )}
    </>
  );
}

/** Folders with a repository of their own, which git does not bring along. */
export function StaysHere({ apart = [] }: WorktreeState) {
  if (apart.length === 0) return null;
  return (
    <div>
      <p class="muted">
        {apart.length === 1 ? "This folder is" : "These folders are"} a git repository{" "}
        {apart.length === 1 ? "of its own" : "each"}: git does not bring back{" "}
        {apart.length === 1 ? "its" : "their"} files, and they are deleted with this session. To bring them
        back as files, have the session delete the .git folder in there first.
      </p>
      <ul class="back-list">
        {apart.map((path) => (
          <li key={path}>
            <code>{oneLineOf(path)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function BroughtWords({ result, folder }: { result: BroughtBack; folder: string }) {
  const { done, files, blocked, commit, conflicts } = result;
  if (blocked.length > 0)
    return (
      <div class="problem" role="alert">
        <p>
          Nothing was changed. In {oneLineOf(folder)}{" "}
          {blocked.length === 1 ? "this file has" : "these files have"} changes that nobody committed: commit
          them or undo them there first.
        </p>
        <ul class="back-list">
          {blocked.map((path) => (
            <li key={path}>
              <code>{oneLineOf(path)}</code>
            </li>
          ))}
        </ul>
      </div>
    );
  if (conflicts.length > 0)
    return (
      <p role="status">
        <b>{plural(conflicts.length, "file")}</b> {conflicts.length === 1 ? "was" : "were"} changed on both
        sides. Nothing was changed in {oneLineOf(folder)}.
      </p>
    );
  if (!done) return null;
  return (
    <p role="status">
      {files.length === 0
        ? "There was nothing to bring back."
        : oneLineOf(
            `${plural(files.length, "file")} came back to ${folder}${commit === undefined ? "" : `, which is on ${commit}`}.`,
          )}
    </p>
  );
}

interface ConflictsProps {
  conflicts: BroughtBack["conflicts"];
  sides: Signal<Sides>;
  into: string;
}

export function Conflicts({ conflicts, sides, into }: ConflictsProps) {
  return (
    <ul class="back-list">
      {conflicts.map(({ path, text }) => (
        <li key={path}>
          <code>{oneLineOf(path)}</code>
          <div class="segments" role="radiogroup" aria-label={`Which version of ${path}`}>
            {(["session", "folder"] as const).map((side) => (
              <label key={side} class={sides.value[path] === side ? "on" : ""}>
                <input
                  type="radio"
                  name={`side ${path}`}
                  checked={sides.value[path] === side}
                  onChange={() => (sides.value = { ...sides.value, [path]: side })}
                />
                {side === "session" ? "This session's" : `From ${into}`}
              </label>
            ))}
          </div>
          {text === "" ? (
            <p class="muted">One side deleted it, or it is no text.</p>
          ) : (
            <details open={conflicts.length === 1}>
              <summary class="muted">The lines that both changed</summary>
              {hunksOf(text).map((hunk) => (
                <div key={hunk.line} class="conflict">
                  <p class="muted">Line {hunk.line}</p>
                  <pre>{hunk.session || "(nothing)"}</pre>
                  <p class="muted">From {into}:</p>
                  <pre class="theirs">{hunk.folder || "(nothing)"}</pre>
                </div>
              ))}
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The conflicts between git's marks, each with the line at which it begins and both versions. */
function hunksOf(text: string): { line: number; session: string; folder: string }[] {
  const hunks: { line: number; session: string; folder: string }[] = [];
  let side: "session" | "folder" | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("<<<<<<< ")) {
      side = "session";
      hunks.push({ line: index + 1, session: "", folder: "" });
    } else if (line === "=======" && side === "session") side = "folder";
    else if (line.startsWith(">>>>>>> ")) side = undefined;
    else {
      const hunk = hunks.at(-1);
      if (side !== undefined && hunk) hunk[side] += `${hunk[side] === "" ? "" : "\n"}${line}`;
    }
  }
  return hunks;
}
