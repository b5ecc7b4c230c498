// A call that may have run: what the workspace shows about it, and what the person can do about it.
import { callArguments } from "../../shared/session/call-facts.ts";
import { CodeBox } from "../components/code-box.tsx";
import { CommandBox } from "../components/command.tsx";
import { Sheet } from "../components/sheet.tsx";
import { findOut, settle } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { WorkspaceNow } from "../transcript/workspace-now.tsx";

interface CheckSheetProps {
  session: OpenSession;
  permission: {
    name: string;
    arguments: string;
    output?: string | undefined;
    commands?: string[] | undefined;
  };
  onClose(): void;
}

export function CheckSheet({ session, permission, onClose }: CheckSheetProps) {
  const { command, path, cwd } = callArguments(permission.arguments);
  const whats = permission.commands ?? [command ?? path ?? permission.name];
  return (
    <Sheet
      title="Did it run?"
      subtitle="Look first. Nothing is run by looking."
      onClose={onClose}
      tall
      bar={
        <div class="actions">
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              onClose();
              settle(session, "deny");
            }}
          >
            Do not repeat it
          </button>
          <button type="button" class="button soft grow" onClick={() => findOut(session)}>
            Let the agent find out
          </button>
        </div>
      }
    >
      <div class="check">
        {whats.map((what, index) => (
          <CommandBox key={index} text={what} folder={cwd} />
        ))}
        <p class="muted">
          {permission.output ? "What it printed before the server ended:" : "No output is known."}
        </p>
        {permission.output && <CodeBox>{permission.output}</CodeBox>}
        <WorkspaceNow session={session} open />
      </div>
    </Sheet>
  );
}
