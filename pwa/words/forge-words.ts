// Forges in words: which rights a token needs, where a token is made, and the names of a pull request's states. Pure.
import type { ForgeKind, PullCheck, PullRequest } from "../../shared/forge.ts";
import { plural } from "../../shared/session/session-summary.ts";
import type { SessionRecord } from "../storage/session-record.ts";

type NotedPull = NonNullable<SessionRecord["pull"]>;

interface TokenWords {
  /** The rights to select on that page, by their names there. */
  rights: readonly string[];
  /** The kind of token. */
  kind: string;
  /** The path of the page on which a token is made. */
  page: string;
}

/**
 * GitHub: https://docs.github.com/rest/authentication/permissions-required-for-fine-grained-personal-access-tokens.
 * GitLab: https://docs.gitlab.com/user/profile/personal_access_tokens. Gitea: https://docs.gitea.com/development/oauth2-provider#scopes.
 */
export const tokenWords: Readonly<Record<ForgeKind, TokenWords>> = {
  github: {
    kind: "A fine-grained token for the repositories you work on",
    rights: [
      "Contents: read and write",
      "Pull requests: read and write",
      "Actions: read",
      "Commit statuses: read",
      "Issues: read",
    ],
    page: "/settings/personal-access-tokens/new",
  },
  gitlab: {
    kind: "A personal or project access token",
    rights: ["api", "write_repository"],
    page: "/-/user_settings/personal_access_tokens",
  },
  gitea: {
    kind: "An access token",
    rights: ["repository: read and write", "issue: read and write", "user: read"],
    page: "/user/settings/applications",
  },
};

const stateWords: Readonly<Record<PullCheck["state"], string>> = {
  waiting: "waits",
  running: "runs",
  passed: "passed",
  failed: "failed",
  skipped: "skipped",
};

export function checkInWords({ state }: PullCheck): string {
  return stateWords[state];
}

export function hasFailed(checks: readonly PullCheck[]): boolean {
  return checks.some(({ state }) => state === "failed");
}

/** "3 checks passed", "1 of 3 checks failed", "2 of 3 checks still run". */
export function checksInWords(checks: readonly PullCheck[]): string {
  const counted = checks.filter(({ state }) => state !== "skipped");
  const failed = counted.filter(({ state }) => state === "failed").length;
  const open = counted.filter(({ state }) => state === "waiting" || state === "running").length;
  if (counted.length === 0) return "no checks";
  if (failed > 0) return `${failed} of ${plural(counted.length, "check")} failed`;
  if (open > 0) return `${open} of ${plural(counted.length, "check")} still ${open === 1 ? "runs" : "run"}`;
  return counted.length === 1 ? "1 check passed" : `all ${counted.length} checks passed`;
}

/** The pull request as the session noted it when it was last looked at. */
export function notedPullInWords({ state, draft, failed, running }: NotedPull): string {
  const checks =
    failed > 0
      ? ` · ${plural(failed, "check")} failed`
      : running > 0
        ? ` · ${plural(running, "check")} ${running === 1 ? "runs" : "run"}`
        : "";
  return `${pullInWords({ state, draft })}${state === "open" ? checks : ""}`;
}

export function pullInWords({ state, draft }: Pick<PullRequest, "state" | "draft">): string {
  return state === "open" && draft ? "draft" : state;
}

/** The host of a forge's link, as the browser reads it; undefined if no browser should open it. */
export function linkedHost(url: string): string | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).host : undefined;
}
