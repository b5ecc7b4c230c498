// What the agent wants to do and may not do alone: the command or file, and why it asks. The bar has the buttons.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { callArguments } from "../../shared/session/call-facts.ts";
import { CodeBox } from "../components/code-box.tsx";
import { CommandBox } from "../components/command.tsx";
import { InlineCode } from "../components/inline-code.tsx";
import { lazy } from "../components/lazy.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { askedKey, sawCommand } from "../session/seen-command.ts";
import { AskedFile, askedFile } from "./asked-file.tsx";
import { grantInWords } from "./grant-in-words.ts";
import type { RowOf } from "./rows.ts";

const WorkspaceNow = lazy(() => import("./workspace-now.tsx").then((module) => module.WorkspaceNow));

const PlanChange = lazy(() => import("./plan-change.tsx").then((module) => module.PlanChange));

export function PermissionCard({ row, session }: { row: RowOf<"permission">; session: OpenSession }) {
  const args = callArguments(row.arguments);
  const file = row.commands === undefined ? askedFile(row.name, row.arguments) : null;
  const whats = row.commands ?? (row.change ? [] : [args.command ?? args.path ?? row.name]);
  return (
    <div class="row">
      <article class={row.unknown ? "card permission unknown" : "card permission"}>
        <p class="overline">{row.unknown ? "Needs you" : "Needs approval"}</p>
        <h2>
          {row.unknown
            ? "This may have run already"
            : row.change
              ? "May it change the plan?"
              : file !== null
                ? "May it write this file?"
                : whats.length > 1
                  ? "May it run these?"
                  : "May it run this?"}
        </h2>
        <p class="muted why">
          <InlineCode text={row.why} />
        </p>
        <SeenMarks name={askedKey(session, row)}>
          {row.change && <PlanChange change={row.change} />}
          {file !== null ? (
            <AskedFile file={file} />
          ) : (
            whats.map((what, index) => <CommandBox key={index} text={what} folder={args.cwd} />)
          )}
        </SeenMarks>
        {!row.unknown && row.program !== undefined && row.subcommand !== undefined && (
          <p class="muted">
            {row.only
              ? `“This session” covers exactly ${whats.length > 1 ? "the first that asks" : "this command"}, in ${row.only.cwd === "" ? "this folder" : row.only.cwd}, and no other.`
              : `“This session” covers every \`${grantInWords({ program: row.program, subcommand: row.subcommand })}\`.`}
          </p>
        )}
        {row.output !== undefined && row.output !== "" && (
          <>
            <p class="muted">What it printed before:</p>
            <CodeBox>{row.output}</CodeBox>
          </>
        )}
        {row.unknown && <WorkspaceNow session={session} />}
      </article>
    </div>
  );
}

function SeenMarks({ name, children }: { name: string; children: ComponentChildren }) {
  const start = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const now = { start: false, end: false };
    const observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes)
        now[target === start.current ? "start" : "end"] = isIntersecting;
      sawCommand(name, now);
    });
    for (const { current } of [start, end]) if (current !== null) observer.observe(current);
    return () => observer.disconnect();
  }, [name]);
  return (
    <div class="asked">
      <div ref={start} class="asked-start" />
      {children}
      <div ref={end} class="asked-end" />
    </div>
  );
}
