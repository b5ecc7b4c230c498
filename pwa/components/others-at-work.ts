// Repeatedly asks for the state of a sandbox: whether another session's turn is running in the same folder, which an
// undo must wait for, and which of its own commands run in the background.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as z from "zod/mini";
import type { SandboxAnswer } from "../../shared/api.ts";
import { SessionList } from "../../shared/history.ts";
import { api, records } from "../app/app-state.ts";

/** How often to ask while a sheet waits for the answer. */
const everyMs = 2_000;

type SandboxNow = Pick<SandboxAnswer, "together" | "background">;

/** The titles of sessions that this device does not have, by sandbox, from the server; "" if a session has none. */
const elsewhere = new Map<string, string>();

/** Fetches the unknown titles among `ids`. Running sessions are recent, so the first page of the list has them. */
async function learnTitles(ids: readonly string[]): Promise<void> {
  const unknown = ids.filter((id) => titleHere(id) === undefined && !elsewhere.has(id));
  if (unknown.length === 0) return;
  const answer = await api.send("/sandboxes");
  const { sandboxes } = z.parse(SessionList, await answer.json());
  for (const id of unknown) elsewhere.set(id, sandboxes.find((one) => one.sandboxId === id)?.title ?? "");
}

const titleHere = (id: string) => records.value.find((record) => record.sandboxId === id)?.title;

/** Asks again immediately if `news` changes; undefined = not known yet. */
export function useSandboxNow(sandboxId: string, again = everyMs, news = ""): Signal<SandboxNow | undefined> {
  const told = useSignal<SandboxNow | undefined>(undefined);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      // Without an answer from the server the person may continue; an undo then fails with its own message.
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

/** The titles of the other sessions at work, in quotes. Servers of earlier versions do not list any. */
export function othersAtWork(told: SandboxNow | undefined): readonly string[] | undefined {
  return told?.together?.map((id) => {
    const title = titleHere(id) ?? elsewhere.get(id);
    return title ? `“${title}”` : "a session of another device";
  });
}
