// A chip with the number of checks; a tap shows their exact commands.
import type { Checkpoint } from "../../shared/plan/plan-file.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { Command } from "./command.tsx";

interface ChecksProps {
  checks: readonly Checkpoint[];
  /** Words after the count: "at the end". */
  when?: string;
}

export function Checks({ checks, when = "" }: ChecksProps) {
  if (checks.length === 0) return null;
  return (
    <details class="checks">
      <summary>
        <span class="count-chip">
          {plural(checks.length, "check")}
          {when}
        </span>
      </summary>
      {checks.map(({ command, timeoutMs }, index) => (
        <p key={index} class="step-note">
          <Command text={command} />
          {timeoutMs !== undefined && ` at most ${Math.round(timeoutMs / 1_000)} s`}
        </p>
      ))}
    </details>
  );
}
