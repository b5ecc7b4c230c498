// Tells the model, once, at the start of a turn, which files that it has read and whether HEAD have been changed by others.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { LookValue } from "../../shared/look.ts";
import type { EventMessage, Message } from "../../shared/message.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";

export const changesSource = "workspace_changes";

const ToldFiles = z.object({ files: LookValue.shape.files });
/** The notice of an undo: the model knows from it what became of these files. */
const UndoNotice = z.object({ takenBack: z.array(z.string()) });
/** `[PATH @v3 lines 1-20, 30 of 50]`, `[PATH @v3]`, `[PATH @v3] +1 -2`: what every tool that shows or changes a file begins with. */
const header = /^\[(.+) @(v\d+)(?: lines \d[\d, -]* of \d+)?\](?: \+\d+ -\d+)?$/gm;
const gone = /^(.+) is gone$/gm;
const showing = new Set(["read_file", "search_files", "edit_file", "write_file"]);

/** The versions of files that the model has seen last, as the history says, in the order in which it saw them. */
export function seenVersions(messages: readonly Message[]): Map<string, string> {
  const seen = new Map<string, string>();
  const see = (path: string, version: string | null) => {
    seen.delete(path);
    if (version !== null) seen.set(path, version);
  };
  for (const message of messages) {
    if (message.role === "tool" && message.ok && showing.has(message.name)) {
      for (const [, path = "", version = ""] of message.content.matchAll(header)) see(path, version);
      for (const [, path = ""] of message.content.matchAll(gone)) see(path, null);
    } else if (message.role === "event" && message.extra.event.source === changesSource) {
      const told = z.safeParse(ToldFiles, message.extra.event.data);
      for (const { path, version } of told.success ? told.data.files : []) see(path, version);
    } else if (message.role === "event") {
      const undone = z.safeParse(UndoNotice, message.extra.event.data);
      for (const path of undone.success ? undone.data.takenBack : []) see(path, null);
    }
  }
  return seen;
}

/**
 * A hidden message of what changed, or none. The look is keyed by the turn and its history: a request that is repeated
 * finds the same, and one that was refused for its old history comes again under its turn's id with a newer one.
 */
export async function outsideChanges(deps: Deps, request: TurnRequest): Promise<EventMessage[]> {
  const { turnId, mode, messages, input, sandboxId } = request;
  if (input.type === "rewind" || !messages.some(({ role }) => role === "assistant")) return [];
  const known = [...seenVersions(messages)].slice(-limits.lookedAtFiles);
  const args = { files: known.map(([path, version]) => ({ path, version })) };
  const calls = [{ key: `${turnId}/look${messages.length}`, op: "look" as const, args }];
  let result: CallResult | undefined;
  try {
    for await (const line of deps.sandbox.calls(sandboxId, { access: "readonly", calls }))
      if (line.type === "result") result = line;
  } catch (error) {
    // A sandbox server that is older than this does not know the op.
    if (error instanceof HandrailError && error.code === "invalid_request") return [];
    throw error;
  }
  const looked = z.safeParse(LookValue, result?.value);
  if (!result?.ok || !looked.success) return [];
  const content = changesText(looked.data);
  if (content === "") return [];
  const event = { subkind: "system_notice", source: changesSource, data: { ...looked.data } };
  return [{ id: `${turnId}.changes`, role: "event", content, createdAt: result.at, mode, extra: { event } }];
}

function changesText({ files, moved }: LookValue): string {
  const lines: string[] = [];
  if (files.length > 0) {
    const names = files.map(({ path, version }) =>
      version === null ? `${path} (gone)` : `${path} (now @${version})`,
    );
    lines.push(
      `Changed since you last saw them, by a command, the person or another session: ${names.join(", ")}. Read again what you build on.`,
    );
  }
  if (moved) {
    const { from, to } = moved;
    const on = ({ branch }: LookValueHead) =>
      branch === null ? "on no branch" : `on ${JSON.stringify(branch)}`;
    // The commits' subjects are left out: anybody may have written them.
    const [was, is] = [from, to].map(({ commit }) => commit.split(" ", 1)[0]);
    lines.push(
      `HEAD was moved, not by you: from ${was} (${on(from)}) to ${is} (${on(to)}). What you know of the repository may be older than that.`,
    );
  }
  return lines.join("\n");
}

type LookValueHead = NonNullable<LookValue["moved"]>["to"];

/** Whether `message` says that HEAD was moved. */
export function tellsOfMove(message: Message): boolean {
  return (
    message.role === "event" &&
    message.extra.event.source === changesSource &&
    message.extra.event.data.moved !== undefined
  );
}
