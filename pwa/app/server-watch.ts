// Asks every few seconds, while the page is visible, whether the server answers. The list and the session show the
// result without a tap.
import { effect, signal } from "@preact/signals";
import { HandrailError } from "../../shared/errors.ts";
import { api, paired } from "./app-state.ts";

/**
 * `away`: the server answered last at `since` (milliseconds), if it ever did. `back`: it answers again; this state is
 * shown for a moment.
 */
export type ServerState =
  | { kind: "answers" }
  | { kind: "away"; since: number | undefined }
  | { kind: "back" };
export const server = signal<ServerState>({ kind: "answers" });

/** Short enough to report a failure before the person wonders about it. A request has only a few hundred bytes. */
const askEveryMs = 10_000;
const askAgainMs = 3_000;
const answerWithinMs = 5_000;
const backMs = 6_000;

/** Asks while the app is open, paired and visible. */
export function watchServer(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heardAt: number | undefined;
  const ask = async () => {
    clearTimeout(timer);
    if (document.visibilityState !== "visible" || !paired.value) return;
    const before = server.value.kind;
    if (await answers()) {
      heardAt = Date.now();
      if (before === "away") sayBack();
    } else if (before !== "away") server.value = { kind: "away", since: heardAt };
    timer = setTimeout(() => void ask(), server.value.kind === "away" ? askAgainMs : askEveryMs);
  };
  document.addEventListener("visibilitychange", () => void ask());
  for (const change of ["online", "offline"]) window.addEventListener(change, () => void ask());
  effect(() => {
    if (paired.value) timer = setTimeout(() => void ask(), askEveryMs);
  });
}

function sayBack(): void {
  const back: ServerState = { kind: "back" };
  server.value = back;
  setTimeout(() => {
    if (server.value === back) server.value = { kind: "answers" };
  }, backMs);
}

/**
 * Any answer of the server counts, even an error. An error page of a proxy does not count; it lacks our error codes.
 */
async function answers(): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), answerWithinMs));
  const asked = api.health().then(
    () => true,
    (error: unknown) => error instanceof HandrailError && error.code !== "internal",
  );
  return Promise.race([asked, late]);
}
