// A step of the plan as a station on the rail: future, running, done, failed or skipped.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { isOver } from "../../shared/plan/steps.ts";
import { changedFiles } from "../../shared/session/call-facts.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { Command } from "../components/command.tsx";
import { durationInWords } from "../components/elapsed.tsx";
import { lazy } from "../components/lazy.tsx";
import { WholeWords } from "../markdown/whole.tsx";
import { checkFacts } from "../session/check-facts.ts";
import type { OpenSession } from "../session/open-session.ts";
import { foundRow } from "../session/scroll-target.ts";
import { hasNow } from "./call-phase.ts";
import { maxStationRows } from "./row-window.ts";
import type { Row, RowOf } from "./rows.ts";

const CheckNetwork = lazy(() => import("./check-network.tsx").then((module) => module.CheckNetwork));

const statusWords = {
  pending: "to come",
  active: "running",
  done: "done",
  failed: "failed",
  skipped: "skipped",
};

interface StationProps {
  row: RowOf<"station">;
  session: OpenSession;
  /** Draws one row of the step's work. */
  children(row: Row): ComponentChildren;
}

export function Station({ row, session, children }: StationProps) {
  /** True once tapped: shows title, result and checks in full, and the work of a finished step. */
  const tapped = useSignal(false);
  const title = row.step?.description ?? `Step ${row.stepId}`;
  const runs = row.status === "active";
  const paused = runs && (row.left || session.outbox.value.turn === null);
  const ended = isOver(row);
  // The card of the running turn, right below, shows the title.
  const inNow = runs && !row.left && row.number > 0 && !tapped.value && hasNow(session);
  /** The number of rows shown beyond the newest. */
  const more = useSignal(0);
  const found = row.rows.findIndex(({ key }) => key === foundRow.value);
  const newest = Math.max(0, row.rows.length - maxStationRows - more.value);
  const first = found < 0 ? newest : Math.min(found, newest);
  const open = tapped.value || (ended && found >= 0);
  const shown = row.rows.length > 0 && (!ended || open);
  return (
    <div class={`row station ${row.status}${paused ? " paused" : ""}${open ? " open" : ""}`}>
      <button
        type="button"
        class="station-line"
        aria-expanded={open}
        onClick={() => (tapped.value = !tapped.value)}
      >
        <span class="station-title">
          {row.number > 0 && (
            <span class="step-number">{inNow ? `Step ${row.number}` : `${row.number} `}</span>
          )}
          {!inNow && <WholeWords text={title} still />}
          <span class="visually-hidden">, {paused ? "paused" : statusWords[row.status]}</span>
        </span>
        {!runs && (
          <span class="time">
            <span class="chevron" aria-hidden="true" />
          </span>
        )}
      </button>
      <Outcome row={row} open={open} />
      <LackedNetwork row={row} session={session} />
      {shown && (
        <div class="station-rows">
          {first > 0 && (
            <button type="button" class="text-button" onClick={() => (more.value += maxStationRows)}>
              {plural(first, "row")} before this
            </button>
          )}
          {row.rows.slice(first).map(children)}
        </div>
      )}
    </div>
  );
}

/** What the step's current check lacked because it had no network, by its newest run. */
function LackedNetwork({ row, session }: Pick<StationProps, "row" | "session">) {
  const ran = row.checks.map(({ extra }) => checkFacts(extra.event.data)).findLast((facts) => facts);
  const { needsNetwork, refusedHosts } = ran?.lacked ?? {};
  const still = !isOver(row) && !row.left && ran?.command === row.step?.checkpoint?.command;
  if (!ran || !still || !(needsNetwork || refusedHosts)) return null;
  return <CheckNetwork check={ran} stepId={row.stepId} session={session} />;
}

/**
 * The step's result under its title: that of the check, or the note, and what its edits changed. If the station is open,
 * it is shown in full.
 */
function Outcome({ row, open }: { row: RowOf<"station">; open: boolean }) {
  const { status, step, note, since, until, idleMs } = row;
  // Prefer the command that ran: the plan may have a different check by now.
  const ran = row.checks.map(({ extra }) => checkFacts(extra.event.data)).findLast((facts) => facts);
  const check = ran?.command ?? step?.checkpoint?.command;
  if (status === "pending") {
    if (!open || step?.checkpoint == null) return null;
    return (
      <p class="station-note">
        Check: <Command text={step.checkpoint.command} />
      </p>
    );
  }
  // A check that hit its time limit or could not be run, or a further attempt.
  if (status === "active") return note === undefined ? null : <p class="station-note">{note}</p>;
  const ms = until === undefined ? 0 : until - since - idleMs;
  const took = ms < 1000 ? "" : ` · ${status === "done" ? "done in " : ""}${durationInWords(ms)}`;
  const changes = changesOf(row.rows);
  const changed = changes === "" ? "" : ` · ${changes}`;
  if (status === "skipped")
    return (
      <p class="station-note">
        Skipped{changed}
        {note === undefined ? "" : `: ${note}`}
      </p>
    );
  if (status === "failed") {
    return (
      <>
        <p class="station-note bad">
          ✗{" "}
          {check === undefined ? (
            (note ?? "did not work")
          ) : (
            <>
              <Command text={check} /> failed
            </>
          )}
          {took}
          {changed}
        </p>
        {ran?.before !== undefined && <p class="station-note">{ran.before}</p>}
      </>
    );
  }
  if (!open) {
    // The figures come first: a note can be too long for the line.
    const facts = check === undefined ? [changes, note] : [`✓ Check passed${changed}${took}`];
    const short = facts.filter(Boolean).join(" · ");
    return short === "" ? null : <p class="station-note short">{short}</p>;
  }
  return (
    <>
      {note !== undefined && <p class="station-note">{note}</p>}
      {check === undefined ? (
        changes !== "" && <p class="station-note">{changes}</p>
      ) : (
        <p class="station-note">
          ✓ <Command text={check} />
          {changed}
          {took}
        </p>
      )}
    </>
  );
}

/** "1 file · +62" for the edits below a step; without line counts if they do not add up. */
function changesOf(rows: readonly Row[]): string {
  const files = rows.flatMap((row) =>
    row.kind === "call" && row.view.result !== undefined ? changedFiles(row.view.result) : [],
  );
  if (files.length === 0) return "";
  const paths = new Set(files.map((file) => file.path));
  // If lines were edited twice, their number differs from the sum of the edits.
  if (paths.size < files.length) return plural(paths.size, "file");
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return `${plural(paths.size, "file")} · +${added}${removed === 0 ? "" : ` −${removed}`}`;
}
