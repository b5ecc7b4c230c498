// An action for which the agent needs permission, above its buttons: the reason, then the command or file in full.
// Earlier decisions on the same answer can be changed until all of them are sent.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { callArguments } from "../../shared/session/call-facts.ts";
import type { Permission } from "../../shared/session/waiting.ts";
import { CodeBox } from "../components/code-box.tsx";
import { CommandBox } from "../components/command.tsx";
import { InlineCode } from "../components/inline-code.tsx";
import { lazy } from "../components/lazy.tsx";
import { oneLineOf } from "../components/shown-text.ts";
import { type AskedNow, askedNow, undecide } from "../session/decisions.ts";
import { askedDelivery } from "../session/deliver.ts";
import type { OpenSession } from "../session/open-session.ts";
import { askedKey, sawCommand } from "../session/seen-command.ts";
import { foreignTool } from "../words/searched-tool.ts";
import { AskedFile, askedFile } from "./asked-file.tsx";
import { coverInWords } from "./grant-in-words.ts";

const WorkspaceNow = lazy(() => import("./workspace-now.tsx").then((module) => module.WorkspaceNow));

const PlanChange = lazy(() => import("./plan-change.tsx").then((module) => module.PlanChange));

export function AskedCard({ session }: { session: OpenSession }) {
  const now = askedNow(session);
  if (now === undefined) return null;
  return (
    <>
      <Decided session={session} now={now} />
      {now.next !== undefined && <PermissionCard session={session} asked={now.next} now={now} />}
    </>
  );
}

function Decided({ session, now: { decided, next, total } }: { session: OpenSession; now: AskedNow }) {
  if (decided.length === 0) return null;
  return (
    <ul class="decided">
      {decided.map(({ asked, decision: { decision } }) => {
        const { command, path } = callArguments(asked.arguments);
        return (
          <li key={asked.toolCallId}>
            <span>
              <b>{decision === "deny" || decision === "never" ? "Denied" : "Allowed"}</b>{" "}
              <code>{oneLineOf(command ?? path ?? foreignTool(asked) ?? asked.name)}</code>
            </span>
            <button type="button" class="text-button" onClick={() => undecide(session, asked)}>
              Change
            </button>
          </li>
        );
      })}
      {next === undefined && (
        <li class="muted">
          {total === 1
            ? "Your decision is sent when the turn comes to this call."
            : "Your decisions are sent when the turn comes to these calls."}
        </li>
      )}
    </ul>
  );
}

const deliveryWords = {
  commit: "Commit this?",
  push: "Push the branch?",
  pull_request: "Open a pull request?",
};

interface PermissionCardProps {
  session: OpenSession;
  asked: Permission;
  now: AskedNow;
}

function PermissionCard({ session, asked, now: { place, total } }: PermissionCardProps) {
  const { change, only, output, program, subcommand } = asked;
  const unknown = asked.risk === "outcome_unknown";
  const args = callArguments(asked.arguments);
  const file = asked.commands === undefined ? askedFile(asked.name, asked.arguments) : null;
  // Edits in a form that only the edge understands are shown as the model wrote them.
  const writesFile = asked.commands === undefined && /^(write|edit)_file$/.test(asked.name);
  const delivery = askedDelivery(asked);
  const drafted = delivery?.text;
  const whats =
    asked.commands ??
    (change
      ? []
      : delivery
        ? drafted
          ? [drafted]
          : []
        : [args.command ?? foreignTool(asked) ?? (writesFile ? asked.arguments : asked.name)]);
  return (
    <article
      key={asked.toolCallId}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      aria-labelledby="asked"
      class={unknown ? "card permission asked-card unknown" : "card permission asked-card"}
    >
      <p class="overline">
        {unknown ? "Needs you" : "Needs approval"}
        {total > 1 && ` · ${place} of ${total}`}
      </p>
      <h2 id="asked">
        {unknown
          ? "This may have run already"
          : delivery
            ? deliveryWords[delivery.do]
            : change
              ? "May it change the plan?"
              : writesFile
                ? "May it write this file?"
                : asked.risk === "mcp"
                  ? "May it use this tool?"
                  : asked.risk === "network"
                    ? `Allow network for ${whats.length > 1 ? "these" : "this command"}?`
                    : whats.length > 1
                      ? "May it run these?"
                      : "May it run this?"}
      </h2>
      <p class="muted asked-why">
        <InlineCode text={asked.why} />
        {!unknown && program !== undefined && subcommand !== undefined && (
          <>
            {" "}
            {asked.risk === "network" ? (
              "“This session” opens it for every command; “Never” keeps it closed and does not ask again."
            ) : (
              <InlineCode text={coverInWords({ program, subcommand, ...(only && { only }) }, whats)} />
            )}
          </>
        )}
      </p>
      <SeenMarks name={askedKey(session, asked)}>
        {change && <PlanChange change={change} />}
        {file !== null ? (
          <AskedFile file={file} />
        ) : (
          whats.map((what, index) => <CommandBox key={index} text={what} folder={args.cwd} />)
        )}
        {args.background && <p class="muted">In the background, until the turn ends.</p>}
      </SeenMarks>
      {output !== undefined && output !== "" && (
        <>
          <p class="muted">What it printed before:</p>
          <CodeBox>{output}</CodeBox>
        </>
      )}
      {unknown && <WorkspaceNow session={session} />}
    </article>
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
