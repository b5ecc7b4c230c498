// The session's pull request with the state of its checks and a link to it. It is refreshed when the session is opened.
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

/** Without a token on this device, the notice is not refreshed, and the person is not asked for a token. */
async function refresh(session: OpenSession, host: string): Promise<void> {
  const { sandboxId } = session.record.value;
  const token = await keptToken(host);
  const signedIn = token !== "" || (await forges()).some((one) => one.host === host && one.signedIn);
  if (!signedIn || !session.writes.value) return;
  const { remote } = await gitState(sandboxId);
  // The repository's remote may have changed since the token was stored, and the token must not be sent to another
  // host.
  if (remote?.host === host) await notePull(session, await pullRequest(sandboxId, { token, remote }));
}
