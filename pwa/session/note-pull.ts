// Notes in the session's record the state of its pull request when it was last looked at.
import type { PullRequest } from "../../shared/forge.ts";
import type { OpenSession } from "./open-session.ts";

export async function notePull(session: OpenSession, pull: PullRequest): Promise<void> {
  const { number, url, state, draft, checks } = pull;
  const count = (...states: string[]) => checks.filter((check) => states.includes(check.state)).length;
  const noted = { number, url, state, draft, failed: count("failed"), running: count("running", "waiting") };
  if (JSON.stringify(noted) !== JSON.stringify(session.record.value.pull))
    await session.choose({ pull: noted });
}
