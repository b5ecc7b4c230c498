// The menu of a session: changes, files, plan, permissions, name, model, copies, delete.
import { changesSinceInWords } from "../../shared/session/session-summary.ts";
import { goalParts } from "../../shared/session/title.ts";
import { hasWorktrees } from "../app/create-session.ts";
import { leaveSheetTo, openSheet } from "../browser/sheet.ts";
import { MenuGroup, MenuRow } from "../components/menu-row.tsx";
import { SessionChoices } from "../components/session-choices.tsx";
import { Sheet } from "../components/sheet.tsx";
import { Words } from "../markdown/markdown.tsx";
import { counting } from "../session/count-changes.ts";
import type { OpenSession } from "../session/open-session.ts";
import { notedPullInWords } from "../words/forge-words.ts";
import { NameField } from "./name-field.tsx";

export function MenuSheet({ session, onClose }: { session: OpenSession; onClose(): void }) {
  const { record, settled } = session;
  const { head } = settled.value;
  const { plan } = head;
  const { id, sandboxId, title, workspace, worktree, branch, git, pull } = record.value;
  return (
    <Sheet title={title} subtitle={workspace} onClose={onClose}>
      <MenuGroup>
        <MenuRow
          icon="changes"
          title="Changes"
          words={counting.value.has(sandboxId) ? "counting…" : (changesSinceInWords(head) ?? "none yet")}
          onPick={() => leaveSheetTo({ page: "changes", id })}
        />
        <MenuRow
          icon="files"
          title="Files"
          words="read, download"
          onPick={() => leaveSheetTo({ page: "files", id })}
        />
        {plan !== null && (
          <MenuRow
            icon="plan"
            title={`Plan · version ${plan.version}`}
            words={
              <span class="two-lines">
                <Words text={goalParts(plan.goal).title} still />
              </span>
            }
            onPick={() => openSheet({ kind: "plan", plan })}
          />
        )}
        <MenuRow
          icon="undo"
          title="Undo to…"
          words="files as they were before a step or a message"
          onPick={() => openSheet({ kind: "undo" })}
        />
        <MenuRow
          icon="worktree"
          title="Branch, push, patch…"
          words={branch ?? "no branch"}
          onPick={() => openSheet({ kind: "branch" })}
        />
        {(worktree !== undefined || hasWorktrees()) && git === undefined && (
          <MenuRow
            icon="worktree"
            title={worktree === undefined ? "Move to a worktree…" : "Bring back…"}
            words={
              worktree === undefined
                ? "files and a branch of its own"
                : `from ${branch ?? "its worktree"} to ${worktree}`
            }
            onPick={() => openSheet({ kind: "worktree" })}
          />
        )}
        {branch !== undefined && (
          <MenuRow
            icon="pull"
            title={pull === undefined ? "Pull request…" : `Pull request #${pull.number}`}
            words={pull === undefined ? "open one, see its checks and comments" : notedPullInWords(pull)}
            onPick={() => openSheet({ kind: "pull-request" })}
          />
        )}
        <MenuRow
          icon="allowed"
          title="Allowed and taken out"
          words="permissions you gave; files taken out of the workspace"
          onPick={() => openSheet({ kind: "allowed" })}
        />
      </MenuGroup>
      <NameField session={session} />
      <SessionChoices session={session} />
    </Sheet>
  );
}
