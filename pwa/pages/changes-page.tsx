// What changed in the sandbox since the session began, file by file.
import { useEffect, useState } from "preact/hooks";
import { plural } from "../../shared/session/session-summary.ts";
import { Header } from "../components/header.tsx";
import { DiffHunks } from "../diff/diff-text.tsx";
import { type DiffFile, parseDiff } from "../diff/parse-diff.ts";
import { api, inWords, openSession } from "../state/app.ts";
import { goBack } from "../state/route.ts";

type Loaded =
  | { kind: "loading" }
  | { kind: "failed"; message: string }
  | { kind: "ready"; files: DiffFile[] };

export function ChangesPage({ id }: { id: string }) {
  const [loaded, setLoaded] = useState<Loaded>({ kind: "loading" });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let left = false;
    void readDiff(id).then((next) => {
      if (!left) setLoaded(next);
    });
    return () => {
      left = true;
    };
  }, [id, tries]);
  return (
    <main class="page">
      <Header title="Changes" subtitle={subtitleOf(loaded)} onBack={() => goBack({ page: "session", id })} />
      <div class="page-scroll changes">
        {loaded.kind === "failed" && (
          <div class="page-words">
            <p>{loaded.message}</p>
            <button type="button" class="button soft" onClick={() => setTries(tries + 1)}>
              Try again
            </button>
          </div>
        )}
        {loaded.kind === "ready" && loaded.files.length === 0 && (
          <p class="page-words muted">Nothing has changed since the session began.</p>
        )}
        {loaded.kind === "ready" &&
          loaded.files.map((file) => (
            <FileCard key={file.path} file={file} open={loaded.files.length <= 20} />
          ))}
      </div>
    </main>
  );
}

async function readDiff(id: string): Promise<Loaded> {
  try {
    const held = await openSession(id);
    if (held === undefined) return { kind: "failed", message: "This session is not kept on this device." };
    return { kind: "ready", files: parseDiff(await api.diff(held.session.record.value.sandboxId)) };
  } catch (error) {
    return { kind: "failed", message: inWords(error).message };
  }
}

function subtitleOf(loaded: Loaded): string {
  if (loaded.kind === "loading") return "Reading…";
  if (loaded.kind === "failed") return "Not read";
  const added = loaded.files.reduce((sum, file) => sum + file.added, 0);
  const removed = loaded.files.reduce((sum, file) => sum + file.removed, 0);
  return `${plural(loaded.files.length, "file")} · +${added} −${removed} · since the session began`;
}

function FileCard({ file, open }: { file: DiffFile; open: boolean }) {
  const word = file.status === "changed" || file.status === "binary" ? "" : `${file.status} · `;
  return (
    <details class="card file" open={open}>
      <summary>
        <h2>{file.path}</h2>
        <span class="time">
          {word}+{file.added}
          {file.removed > 0 && ` −${file.removed}`}
        </span>
      </summary>
      <DiffHunks file={file} />
    </details>
  );
}
