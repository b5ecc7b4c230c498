// The state of a session's guest: asleep, waking and for how long, or gone, with what is lost and what can be restored.
// Also offers the image that the repository names. Asks the server repeatedly while something waits for the guest;
// asking does not wake it.
import { useEffect, useState } from "preact/hooks";
import type { SandboxAnswer } from "../../shared/api.ts";
import { api, inWords } from "../app/app-state.ts";
import type { OpenSession } from "../session/open-session.ts";
import { isStill } from "../turn/connection.ts";
import { Elapsed } from "./elapsed.tsx";
import { oneLineOf } from "./shown-text.ts";

const askEveryMs = 1_000;

interface GuestStatus extends Pick<SandboxAnswer, "state" | "guest"> {
  /** When it began to start, on this device's clock. */
  since: number;
}

export function GuestNotice({ session }: { session: OpenSession }) {
  const { sandboxId } = session.record.value;
  const { turn } = session.outbox.value;
  const { kind } = session.connection.value;
  /** True while a message waits for the sandbox. */
  const waits = turn !== null && (kind === "sending" || isStill(session.connection.value));
  const [told, again] = useTold(sandboxId, waits);
  const [problem, setProblem] = useState<string | null>(null);
  const [asks, setAsks] = useState(false);
  if (told === undefined || sandboxId === "") return null;
  const { state, guest, since } = told;
  const wake = (image?: string) => {
    setProblem(null);
    setAsks(true);
    const failed = (error: unknown) => {
      setProblem(inWords(error).message);
      again();
    };
    api
      .wakeSandbox(sandboxId, image)
      .then(again, failed)
      .finally(() => setAsks(false));
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
            <button type="button" class="text-button" onClick={() => wake()}>
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
          <span role="status">Waking the sandbox</span>, <Elapsed since={since} />.
          {waits && " What you send waits until it is awake."}
        </span>
      </p>
    );
  if (state === "ready")
    return (
      <>
        {guest?.lostSince !== undefined && <Loss key={guest.lostSince} since={guest.lostSince} />}
        {guest?.wantsImage !== undefined && (
          <ImageOffer key={guest.wantsImage} image={guest.wantsImage} {...{ problem, asks }} onUse={wake} />
        )}
      </>
    );
  if (state !== "asleep") return null;
  return (
    <p class="notice">
      <span>
        The sandbox is asleep and wakes when you send something.
        {problem !== null && ` ${problem}`}
      </span>
      <button type="button" class="text-button" onClick={() => wake()}>
        Wake it
      </button>
    </p>
  );
}

/** Says that the engine restored the guest in the state that it had at an earlier time. */
function Loss({ since }: { since: number }) {
  const [read, setRead] = useState(false);
  if (read) return null;
  return (
    <p class="notice bad stacked" role="alert">
      <span>
        What was written in the sandbox after {clock(since)} was lost while it slept. What was said is still
        here; look at the files before you continue.
      </span>
      <span class="notice-actions">
        <button type="button" class="text-button" onClick={() => setRead(true)}>
          Close
        </button>
      </span>
    </p>
  );
}

interface ImageOfferProps {
  image: string;
  problem: string | null;
  /** True while the image is being tried. */
  asks: boolean;
  onUse(image: string): void;
}

/** Offers the image that the repository names. Its author can see what runs in it, so only the person may choose it. */
export function ImageOffer({ image, problem, asks, onUse }: ImageOfferProps) {
  const [declined, setDeclined] = useState(false);
  if (declined) return null;
  return (
    <p class="notice stacked">
      <span>
        This repository names the image <code>{oneLineOf(image)}</code> for its sandbox. Its programs would
        see everything that this session does, tokens for pushing too. What runs now is stopped; files and
        history stay.
        {problem !== null && ` ${problem}`}
      </span>
      <span class="notice-actions">
        <button type="button" class="text-button" disabled={asks} onClick={() => onUse(image)}>
          Use this image
        </button>
        <button type="button" class="text-button" onClick={() => setDeclined(true)}>
          Not now
        </button>
      </span>
    </p>
  );
}

/** The server's information on the sandbox: fetched once, and repeatedly while it starts or something waits for it. */
function useTold(sandboxId: string, waits: boolean): [GuestStatus | undefined, () => void] {
  const [told, setTold] = useState<GuestStatus | undefined>(undefined);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since: number | undefined;
    const look = async () => {
      // Another notice on this screen reports a server that does not respond.
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

/** The session keeps its messages and asks where its files should come from. */
async function chooseFiles(session: OpenSession): Promise<void> {
  const { git, ref } = session.record.value;
  await session.choose({ sandboxId: "", ...(git !== undefined && { claims: { git, ...(ref && { ref }) } }) });
}

function clock(at: number): string {
  return new Date(at).toLocaleString([], { dateStyle: "short", timeStyle: "short" });
}
