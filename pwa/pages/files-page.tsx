// The files of the workspace, read-only: the tree, and one open file. The tree keeps its state while a file is open.

import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { inWords } from "../app/app-state.ts";
import { openSession } from "../app/open-sessions.ts";
import { download, readArchive } from "../app/workspace.ts";
import { go, goBack } from "../browser/route.ts";
import { Header } from "../components/header.tsx";
import { Icon } from "../components/icon.tsx";
import { Pane } from "../components/pane.tsx";
import { sizeInWords } from "../files/file-kind.ts";
import { FileView } from "../files/file-view.tsx";
import { downloadFile, type ShownFile, useFile } from "../files/read-file.ts";
import { Tree } from "../files/tree.tsx";
import { takePlan } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { useBackOnEscape, wrapsLines } from "./code-page.ts";
import { WrapButton } from "./wrap-button.tsx";
import "../styles/diff.css";
import "../styles/changes.css";

interface FilesPageProps {
  id: string;
  path: string | undefined;
  /** True if the page is beside the session's own page. */
  beside?: boolean;
}

export function FilesPage({ id, path, beside = false }: FilesPageProps) {
  const [session, setSession] = useState<OpenSession | null | undefined>(undefined);
  useEffect(() => {
    void openSession(id).then((held) => setSession(held?.session ?? null));
  }, [id]);
  const back = () => goBack(path === undefined ? { page: "session", id } : { page: "files", id });
  useBackOnEscape(back);
  if (session) {
    return (
      <>
        <Files session={session} hidden={path !== undefined} beside={beside} onBack={back} />
        {path !== undefined && (
          <OneFile key={path} session={session} path={path} beside={beside} onBack={back} />
        )}
      </>
    );
  }
  return (
    <Pane beside={beside} name="Files">
      <Header title="Files" onBack={back} />
      {session === null && <p class="page-words muted">This session is not kept on this device.</p>}
    </Pane>
  );
}

interface FilesProps {
  session: OpenSession;
  hidden: boolean;
  beside: boolean;
  onBack(): void;
}

function Files({ session, hidden, beside, onBack }: FilesProps) {
  const { id, sandboxId, workspace } = session.record.value;
  const told = useSignal<string | undefined>(undefined);
  const archive = async () => {
    told.value = "Packing the workspace…";
    try {
      download(await readArchive(sandboxId), `${workspace.replace(/[^\w.-]+/g, "-")}.tar.gz`);
      told.value = undefined;
    } catch (error) {
      told.value = inWords(error).message;
    }
  };
  return (
    <Pane beside={beside} name="Files" hidden={hidden}>
      <Header title="Files" subtitle={workspace} onBack={onBack} />
      <div class="page-scroll tree">
        <Tree sandboxId={sandboxId} folder="" onFile={(path) => go({ page: "files", id, path })} />
      </div>
      <footer class="bar">
        <div class="actions">
          <p class="bar-words" role="status">
            {told.value ?? "Files that git ignores are left out."}
          </p>
          <button type="button" class="button soft" onClick={() => void archive()}>
            Download all
          </button>
        </div>
      </footer>
    </Pane>
  );
}

interface OneFileProps {
  session: OpenSession;
  path: string;
  beside: boolean;
  onBack(): void;
}

function OneFile({ session, path, beside, onBack }: OneFileProps) {
  const { sandboxId } = session.record.value;
  const shown = useFile(sandboxId, path);
  const problem = useSignal<string | undefined>(undefined);
  return (
    <Pane beside={beside} name={path}>
      <Header title={path.split("/").at(-1) ?? path} subtitle={aboutFile(path, shown)} onBack={onBack}>
        {shown.kind === "text" && <WrapButton />}
        <button
          type="button"
          class="icon-button"
          aria-label="Download"
          onClick={async () => (problem.value = await downloadFile(sandboxId, path))}
        >
          <Icon name="save" />
        </button>
      </Header>
      {problem.value !== undefined && (
        <p class="notice bad" role="alert">
          <span>{problem.value}</span>
        </p>
      )}
      <div class="page-scroll file-view">
        <FileView path={path} shown={shown} wrap={wrapsLines.value} />
      </div>
      {takesPlan(session, path) && (
        <footer class="bar">
          <div class="actions">
            <p class="bar-words">It waits for your approval then.</p>
            <button
              type="button"
              class="button soft"
              onClick={() =>
                takePlan(session, { path }) && go({ page: "session", id: session.record.value.id })
              }
            >
              Take as the plan
            </button>
          </div>
        </footer>
      )}
    </Pane>
  );
}

/** A Markdown file can be used as a plan while no turn runs and no other plan is under way. */
function takesPlan(session: OpenSession, path: string): boolean {
  const free = session.outbox.value.turn === null && session.writes.value;
  return free && /\.(md|markdown)$/i.test(path) && !isUnderWay(session.settled.value.head.plan?.status);
}

function aboutFile(path: string, shown: ShownFile): string {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "workspace";
  return "size" in shown ? `${sizeInWords(shown.size)} · ${folder}` : folder;
}
