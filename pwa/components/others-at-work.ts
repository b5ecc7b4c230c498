// What a sandbox says of itself, asked again and again: whether another session's turn is run in the same folder right now
// (an undo waits until it has ended), and which of its commands run in the background.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SandboxAnswer } from "../../shared/api.ts";
import { api, records } from "../app/app-state.ts";

/** How often it is asked while a sheet waits. */
const everyMs = 2_000;

type SandboxNow = Pick<SandboxAnswer, "together" | "background">;

/** Asked at once where `news` is another; undefined = not known yet. */
export function useSandboxNow(sandboxId: string, again = everyMs, news = ""): Signal<SandboxNow | undefined> {
  const told = useSignal<SandboxNow | undefined>(undefined);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      // Where no server answers, this goes on: an undo then fails with words of its own.
      const now = await api.sandbox(sandboxId).catch((): SandboxNow => ({}));
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
  const titleOf = (id: string) => records.value.find((record) => record.sandboxId === id)?.title;
  return told && (told.together ?? []).map((id) => titleOf(id) ?? "a session of another device");
}
