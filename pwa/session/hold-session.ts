// Opens one session in this tab, with the page's signals and the lock that decides which tab writes. Loaded when the
// first session is opened.
import { newId } from "../browser/ids.ts";
import { doubt, inNextFrame, isOnline, sleep, wake } from "../browser/page-signals.ts";
import { holdWriter, type WriterLock } from "../turn/writer-lock.ts";
import type { OpenSessionDeps } from "./followed-session.ts";
import { OpenSession } from "./open-session.ts";

export interface HeldSession {
  session: OpenSession;
  lock: WriterLock;
}

const tabId = newId();
const page = { sleep, wake, doubt, isOnline, inNextFrame };

/** Undefined if the session does not exist. */
export async function holdSession(
  id: string,
  deps: Omit<OpenSessionDeps, "now" | "newId" | "page">,
): Promise<HeldSession | undefined> {
  const session = await OpenSession.load({ ...deps, now: Date.now, newId, page }, id);
  if (session === undefined) return undefined;
  // The last moments in which a page can write: phones end hidden pages without any further event.
  window.addEventListener("pagehide", () => session.leave());
  document.addEventListener("visibilitychange", () => session.leave());
  const lock = holdWriter(`session/${id}`, tabId, (role) => {
    if (role === "writer") void session.becomeWriter();
    else session.becomeReader();
  });
  return { session, lock };
}
