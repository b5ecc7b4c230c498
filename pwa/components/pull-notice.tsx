// In the session: its pull request, how its checks fare, and the way to it. Looks again when the session is opened.
import { useEffect } from "preact/hooks";
import { gitState } from "../app/delivery.ts";
import { forges, keptToken, pullRequest } from "../app/forge.ts";
import { openSheet } from "../browser/sheet.ts";
import { notePull } from "../session/note-pull.ts";
import type { OpenSession } from "../session/open-session.ts";
import { notedPullInWords } from "../words/forge-words.ts";

export function PullNotice({ session }: { session: OpenSession }) {
  const { pull, sandboxId } = session.record.value;
  const host = pull && new URL(pull.url).host;
  useEffect(() => {
    if (host !== undefined && pull?.state === "open") void refresh(session, host).catch(() => undefined);
  }, [sandboxId, host]);
  if (pull === undefined || pull.state === "closed") return null;
  return (
    <p class="notice pull-notice">
      <span>
        <b>#{pull.number}</b> {notedPullInWords(pull)}
      </span>
      <button type="button" class="text-button" onClick={() => openSheet({ kind: "pull-request" })}>
        Pull request
      </button>
    </p>
  );
}

/** Whoever has no token here is told nothing new, and asked for none. */
async function refresh(session: OpenSession, host: string): Promise<void> {
  const { sandboxId } = session.record.value;
  const token = await keptToken(host);
  const signedIn = token !== "" || (await forges()).some((one) => one.host === host && one.signedIn);
  if (!signedIn || !session.writes.value) return;
  const { remote } = await gitState(sandboxId);
  // What a kept token is for may not be where the repository leads by now.
  if (remote?.host === host) await notePull(session, await pullRequest(sandboxId, { token, remote }));
}
