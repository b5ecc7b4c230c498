// What a sandbox says of itself, asked again and again: whether another session's turn is run in the same folder right now
// (an undo waits until it has ended), and which of its commands run in the background.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as z from "zod/mini";
import type { SandboxAnswer } from "../../shared/api.ts";
import { SessionList } from "../../shared/history.ts";
import { api, records } from "../app/app-state.ts";

/** How often it is asked while a sheet waits. */
const everyMs = 2_000;

type SandboxNow = Pick<SandboxAnswer, "together" | "background">;

/** Titles of sessions that this device does not have, by sandbox, as the server last said; "" if it has none. */
const elsewhere = new Map<string, string>();

/** Asks for the titles of those of `ids` that are not known. What runs is among the newest, on the list's first page. */
async function learnTitles(ids: readonly string[]): Promise<void> {
  const unknown = ids.filter((id) => titleHere(id) === undefined && !elsewhere.has(id));
  if (unknown.length === 0) return;
  const answer = await api.send("/sandboxes");
  const { sandboxes } = z.parse(SessionList, await answer.json());
  for (const id of unknown) elsewhere.set(id, sandboxes.find((one) => one.sandboxId === id)?.title ?? "");
}

const titleHere = (id: string) => records.value.find((record) => record.sandboxId === id)?.title;

/** Asked at once where `news` is another; undefined = not known yet. */
export function useSandboxNow(sandboxId: string, again = everyMs, news = ""): Signal<SandboxNow | undefined> {
  const told = useSignal<SandboxNow | undefined>(undefined);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      // If no server answers, continue: an undo then fails with its own message.
      const now = await api.sandbox(sandboxId).catch((): SandboxNow => ({}));
      await learnTitles(now.together ?? []).catch(() => undefined);
      if (left) return;
      told.value = now;
      timer = setTimeout(() => void look(), again);
    };
    void look();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [sandboxId, again, news]);
  return told;
}

/** Names of the sessions at work beside this one. An older server names nobody. */
export function othersAtWork(told: SandboxNow | undefined): readonly string[] | undefined {
  const titleOf = (id: string) => titleHere(id) ?? elsewhere.get(id);
  return told && (told.together ?? []).map((id) => titleOf(id) || "a session of another device");
}
