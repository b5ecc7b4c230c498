// Whether another session's turn is run in the same folder right now: an undo waits until it has ended.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, records } from "../app/app-state.ts";

/** How often it is asked while a sheet waits. */
const everyMs = 2_000;

/** Names of the sessions at work beside this one; undefined = not known yet. */
export function useOthersAtWork(sandboxId: string, again = everyMs): Signal<readonly string[] | undefined> {
  const names = useSignal<readonly string[] | undefined>(undefined);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      // An older server names nobody. Where no server answers, this goes on: the undo then fails with words of its own.
      const { together = [] } = await api.sandbox(sandboxId).catch((): { together?: string[] } => ({}));
      if (left) return;
      const titleOf = (id: string) => records.value.find((record) => record.sandboxId === id)?.title;
      names.value = together.map((id) => titleOf(id) ?? "a session of another device");
      timer = setTimeout(() => void look(), again);
    };
    void look();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [sandboxId]);
  return names;
}
