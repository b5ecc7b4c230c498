// A session whose files are still being fetched: shows the progress, or what to do after a failure.
import { useEffect, useState } from "preact/hooks";
import type { SandboxAnswer } from "../../shared/api.ts";
import { api, config, inWords } from "../app/app-state.ts";
import { sourceOf } from "../app/create-session.ts";
import { makeSandbox } from "../app/make-sandbox.ts";
import { loadCode } from "../browser/load-code.ts";
import type { OpenSession } from "../session/open-session.ts";
import { cloneProblem } from "../words/repository.ts";
import { Elapsed } from "./elapsed.tsx";

const askEveryMs = 1_500;

export function Preparing({ session }: { session: OpenSession }) {
  const { sandboxId, git, ref, workspace, createdAt } = session.record.value;
  const [sandbox, setSandbox] = useState<SandboxAnswer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** The server no longer has any of it. */
  const [stopped, setStopped] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const ask = async () => {
      try {
        const now = await api.sandbox(sandboxId);
        if (left) return;
        setSandbox(now);
        setProblem(null);
        if (now.state === "ready") return session.choose({ preparing: undefined });
        if (now.state === "failed") return;
      } catch (error) {
        if (left) return;
        const said = inWords(error);
        if ("code" in said && said.code === "not_found") return setStopped(true);
        setProblem(said.message);
      }
      if (!left) timer = setTimeout(() => void ask(), askEveryMs);
    };
    void ask();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [sandboxId]);
  const again = async () => {
    setProblem(null);
    setSandbox(null);
    setStopped(false);
    try {
      const { withKeptToken } = await loadCode(() => import("../app/forge.ts"));
      const source = git === undefined ? undefined : sourceOf(await withKeptToken(git), ref);
      const next = await makeSandbox(source);
      await session.choose({ sandboxId: next.sandboxId, preparing: next.state !== "ready" || undefined });
    } catch (error) {
      setProblem(inWords(error).message);
    }
  };
  const cancel = async () => {
    try {
      await api.deleteSandbox(sandboxId);
      setStopped(true);
    } catch (error) {
      setProblem(inWords(error).message);
    }
  };
  const failed = stopped || sandbox?.state === "failed";
  const clones = git !== undefined;
  const apart = !clones && config.value?.workspace?.kind === "folder";
  const { stage, percent } = sandbox?.progress ?? {};
  return (
    <div class="empty">
      <h2>
        {stopped
          ? `${clones ? "The clone" : "It"} was stopped`
          : failed
            ? clones
              ? "It could not be cloned"
              : "Its files could not be prepared"
            : `${clones ? "Cloning" : "Preparing"} ${workspace}`}
      </h2>
      {failed ? (
        <p role="alert">
          {stopped
            ? "None of it is on your server. What you typed is still here."
            : (clones ? cloneProblem : String)(sandbox?.problem ?? "The server gave no reason.")}
        </p>
      ) : (
        <p class="muted">
          <span role="status">
            {stage ??
              (apart ? "Making its worktree. While a command runs in the folder, it waits." : "Starting")}
          </span>
          {percent !== undefined && `: ${percent} %`} <Elapsed since={createdAt} />
        </p>
      )}
      {!failed && (
        <progress
          max={100}
          {...(percent !== undefined && { value: percent })}
          aria-label={clones ? "Cloning" : "Preparing"}
        />
      )}
      {problem !== null && <p class="problem">{problem}</p>}
      {failed ? (
        <button type="button" class="button soft" onClick={() => void again()}>
          {clones ? "Clone it again" : "Try again"}
        </button>
      ) : (
        <>
          <button type="button" class="button soft" onClick={() => void cancel()}>
            {clones ? "Stop the clone" : "Stop preparing it"}
          </button>
          <p class="muted">You can type meanwhile. What you send waits until the files are there.</p>
        </>
      )}
    </div>
  );
}
