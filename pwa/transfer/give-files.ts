// Gives an imported session a workspace: only when a person asked for this very one.
import { api, config, inWords } from "../app/app.ts";
import { sourceOf } from "../app/create-session.ts";
import { changeSession } from "../app/session-actions.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { cloneProblem } from "../words/clone-problem.ts";

/** `clone`: of what the session's file names; `served`: what the server gives without being asked. Throws an Error in words. */
export async function giveFiles(
  { id, claims }: Pick<SessionRecord, "id" | "claims">,
  which: "clone" | "served",
): Promise<void> {
  const git = which === "clone" ? claims?.git : undefined;
  const sandbox = await api
    .createSandbox(git === undefined ? undefined : sourceOf(git, claims?.ref))
    .catch((error: unknown) => {
      const { message } = inWords(error);
      throw new Error(git === undefined ? message : cloneProblem(message));
    });
  await changeSession(id, {
    sandboxId: sandbox.sandboxId,
    preparing: sandbox.state !== "ready" || undefined,
    ...(git === undefined
      ? { workspace: sandbox.workspace, claims: undefined }
      : { git, ...(claims?.ref && { ref: claims.ref }), claims: undefined }),
  });
}

/** What the server gives without being asked, in words. */
export function servedInWords(): string {
  const workspace = config.value?.workspace;
  if (workspace?.kind === "sample") return "Use a fresh sample project";
  return workspace === undefined ? "Use the served folder" : `Use the folder ${workspace.name}`;
}
