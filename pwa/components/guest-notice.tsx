// In a session whose sandbox is a guest of its own: that it sleeps, how long it has been waking, or that it is gone, what is
// lost with it and what can be had back. Asks the server while something waits; looking wakes nobody.
import { useEffect, useState } from "preact/hooks";
import type { SandboxAnswer } from "../../shared/api.ts";
import { api, inWords } from "../app/app-state.ts";
import type { OpenSession } from "../session/open-session.ts";
import { isStill } from "../turn/connection.ts";
import { Elapsed } from "./elapsed.tsx";

const askEveryMs = 1_000;

interface GuestStatus extends Pick<SandboxAnswer, "state" | "guest"> {
  /** When it began to start, by this device's clock. */
  since: number;
}

export function GuestNotice({ session }: { session: OpenSession }) {
  const { sandboxId } = session.record.value;
  const { turn } = session.outbox.value;
  const { kind } = session.connection.value;
  /** A message waits for the sandbox. */
  const waits = turn !== null && (kind === "sending" || isStill(session.connection.value));
  const [told, again] = useTold(sandboxId, waits);
  const [problem, setProblem] = useState<string | null>(null);
  if (told === undefined || sandboxId === "") return null;
  const { state, guest, since } = told;
  const wake = () => {
    setProblem(null);
    api.wakeSandbox(sandboxId).then(again, (error: unknown) => setProblem(inWords(error).message));
    again();
  };
  const copy = guest?.snapshotAt;
  if (state === "gone")
    return (
      <p class="notice bad stacked" role="alert">
        <span>
          {copy === undefined
            ? "The sandbox of this session is gone. Files that were not committed and pushed are lost; what was said is still here."
            : `The sandbox of this session is gone. There is a copy of its files from ${clock(copy)}; what was changed later is lost.`}
          {problem !== null && ` ${problem}`}
        </span>
        <span class="notice-actions">
          {copy !== undefined && (
            <button type="button" class="text-button" onClick={wake}>
              Bring back the copy
            </button>
          )}
          <button type="button" class="text-button" onClick={() => void chooseFiles(session)}>
            Choose files
          </button>
        </span>
      </p>
    );
  if (state === "starting" || (state === "asleep" && waits))
    return (
      <p class="notice">
        <span>
          <span role="status">Waking the sandbox</span>, <Elapsed since={since} />
          {copy !== undefined && ` Its files are from ${clock(copy)}: what was changed later is lost.`}
          {waits && " What you send waits until it is awake."}
        </span>
      </p>
    );
  if (state !== "asleep") return null;
  return (
    <p class="notice">
      <span>
        The sandbox is asleep and wakes when you send something.
        {copy !== undefined && ` It has its files as of ${clock(copy)}; what was changed later is lost.`}
        {problem !== null && ` ${problem}`}
      </span>
      <button type="button" class="text-button" onClick={wake}>
        Wake it
      </button>
    </p>
  );
}

/** What the server says of the sandbox: once, and again and again while it starts or something waits for it. */
function useTold(sandboxId: string, waits: boolean): [GuestStatus | undefined, () => void] {
  const [told, setTold] = useState<GuestStatus | undefined>(undefined);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since: number | undefined;
    const look = async () => {
      // Where the server does not answer, other words on this screen say so.
      const now = await api.sandbox(sandboxId).catch(() => undefined);
      if (left) return;
      if (now !== undefined) {
        since = Math.min(since ?? Infinity, Date.now() - (now.guest?.startingMs ?? 0));
        setTold({ state: now.state, ...(now.guest && { guest: now.guest }), since });
      }
      const more = waits || now?.state === "starting" || (asked > 0 && now?.state === "asleep");
      if (more) timer = setTimeout(() => void look(), askEveryMs);
    };
    if (sandboxId !== "") void look();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [sandboxId, waits, asked]);
  return [told, () => setAsked((count) => count + 1)];
}

/** The session keeps what was said, and is asked where its files shall come from. */
async function chooseFiles(session: OpenSession): Promise<void> {
  const { git, ref } = session.record.value;
  await session.choose({ sandboxId: "", ...(git !== undefined && { claims: { git, ...(ref && { ref }) } }) });
}

function clock(at: number): string {
  return new Date(at).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
}
