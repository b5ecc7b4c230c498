// A forge's state, shared by all its APIs: a real repository, pull requests, checks, comments, and quirks as
// switches.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const forgeToken = "played_pat_11AABBCC22ddeeff";

export interface PlayedCheck {
  id: number;
  name: string;
  /** The commit that the check is about. */
  sha: string;
  state: "queued" | "running" | "passed" | "failed";
  log: string;
}

export interface PlayedThread {
  id: string;
  by: string;
  text: string;
  path: string;
  line: number;
  resolved: boolean;
  /** On a line that the change removes. */
  isOld?: boolean;
  answers?: { by: string; text: string }[];
}

export interface PlayedPull {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  draft: boolean;
  state: "open" | "closed" | "merged";
  /** The branch's commit when the pull request was merged or closed. */
  endedAt: string | undefined;
  reviews: { by: string; state: "approved" | "changes" | "commented"; text: string }[];
  threads: PlayedThread[];
  comments: { id: number; by: string; text: string }[];
}

export interface PlayedAnswer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: unknown;
  /** Instead of `body`: that many bytes of lines, then this ending, or the end of the connection. */
  long?: { bytes: number; end: string; isCut?: boolean };
}

export interface PlayedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

/** Deviations from the usual behaviour. */
export interface Quirks {
  /**
   * Answers in place of the API; "cut" = the connection ends, "lost" = the request is carried out and the
   * answer is lost.
   */
  before?: ((request: PlayedRequest) => PlayedAnswer | "cut" | "lost" | undefined) | undefined;
  /** The rights of the token. */
  rights: "all" | "read" | "none";
  /** The token cannot read checks, like GitHub's fine-grained tokens. */
  hidesChecks: boolean;
  refusesDrafts: boolean;
  /** Rules of the default branch. */
  requiresReview: boolean;
  requiresChecks: boolean;
  /** The highest number of entries on a page. */
  pageSize: number;
  logBytes: number;
  /** The origin to which logs redirect. It serves them without a token. */
  logsAt: string | undefined;
  /** A Gitea before 1.26, which can neither resolve comments nor reply to them. */
  isOlder: boolean;
}

export class PlayedForge {
  readonly repository = "team/app";
  readonly root = mkdtempSync(join(tmpdir(), "handrail-forge-"));
  readonly pulls: PlayedPull[] = [];
  readonly checks: PlayedCheck[] = [];
  readonly issues = [
    { number: 12, title: "Dates are a day off", body: "In `src/dates.ts`, west of Greenwich." },
    { number: 13, title: "A second one", body: "" },
  ];
  /** Every request to an API, in order. */
  readonly requests: PlayedRequest[] = [];
  readonly usual: Quirks = {
    rights: "all",
    hidesChecks: false,
    refusesDrafts: false,
    requiresReview: false,
    requiresChecks: false,
    pageSize: 100,
    logBytes: 0,
    logsAt: undefined,
    isOlder: false,
  };
  quirks: Quirks = { ...this.usual };
  /** Called for each accepted request of git before it is answered. */
  gitAsked: (() => void) | undefined;
  /** The decision on the forge's page by the person who signs in with a code. */
  device: "pending" | "granted" | "denied" = "pending";
  origin = "";
  #next = 100;

  constructor() {
    const bare = this.gitFolder;
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", bare]);
    writeFileSync(join(bare, "config"), "[core]\n\tbare = true\n[http]\n\treceivepack = true\n", {
      flag: "a",
    });
    this.write(
      "main",
      { "a.txt": "one\n", "b.txt": "two\n", "src/dates.ts": "export const day = 1;\n" },
      "one",
    );
  }

  get gitFolder(): string {
    return join(this.root, `${this.repository}.git`);
  }

  git(...args: string[]): string {
    const who = ["-c", "user.name=Played", "-c", "user.email=played@forge.example"];
    return execFileSync("git", ["-C", this.gitFolder, ...who, ...args], { encoding: "utf8" }).trim();
  }

  /** null = there is no such branch. */
  headOf(branch: string): string | null {
    try {
      return this.git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`);
    } catch {
      return null;
    }
  }

  /** Makes a commit on `branch`. */
  write(branch: string, files: Readonly<Record<string, string>>, message: string): string {
    const env = { ...process.env, GIT_INDEX_FILE: join(this.root, "index") };
    const git = (args: string[], input = "") =>
      execFileSync("git", ["-C", this.gitFolder, ...args], { encoding: "utf8", env, input }).trim();
    const parent = this.headOf(branch);
    rmSync(env.GIT_INDEX_FILE, { force: true });
    if (parent) git(["read-tree", parent]);
    for (const [path, text] of Object.entries(files)) {
      const blob = git(["hash-object", "-w", "--stdin"], text);
      git(["update-index", "--add", "--cacheinfo", `100644,${blob},${path}`]);
    }
    const made = this.git(
      "commit-tree",
      git(["write-tree"]),
      ...(parent ? ["-p", parent] : []),
      "-m",
      message,
    );
    this.git("update-ref", `refs/heads/${branch}`, made);
    return made;
  }

  newId(): number {
    return ++this.#next;
  }

  /** The commit of a pull request's branch. */
  shaOf(pull: PlayedPull): string {
    return pull.endedAt ?? this.headOf(pull.head) ?? "";
  }

  ahead(pull: { head: string; base: string }): number {
    return Number(this.git("rev-list", "--count", `refs/heads/${pull.base}..refs/heads/${pull.head}`));
  }

  pull(number: number): PlayedPull | undefined {
    return this.pulls.find((one) => one.number === number);
  }

  open(pull: Pick<PlayedPull, "title" | "body" | "head" | "base" | "draft">): PlayedPull {
    const made: PlayedPull = {
      ...pull,
      number: this.pulls.length + 1,
      state: "open",
      endedAt: undefined,
      reviews: [],
      threads: [],
      comments: [],
    };
    this.pulls.push(made);
    return made;
  }

  /** Adds a comment of the token's owner, on the whole or in one thread. */
  say(pull: PlayedPull, text: string, thread?: string): boolean {
    if (thread === undefined) return pull.comments.push({ id: this.newId(), by: "ada", text }) > 0;
    const about = pull.threads.find(({ id }) => id === thread);
    if (about) about.answers = [...(about.answers ?? []), { by: "ada", text }];
    return about !== undefined;
  }

  /** The reason that prevents a merge by the branch's rules, in words. */
  blocked(pull: PlayedPull): string | undefined {
    const approved = pull.reviews.some(({ state }) => state === "approved");
    if (this.quirks.requiresReview && !approved)
      return "At least 1 approving review is required by reviewers with write access.";
    const passed = this.checks
      .filter(({ sha }) => sha === this.shaOf(pull))
      .every(({ state }) => state === "passed");
    return this.quirks.requiresChecks && !passed ? 'Required status check "test" is failing.' : undefined;
  }

  merge(pull: PlayedPull, how: string): string {
    const head = this.shaOf(pull);
    const base = this.headOf(pull.base) ?? "";
    const tree = this.git("merge-tree", "--write-tree", base, head).split("\n")[0] ?? "";
    const parents = how === "squash" ? ["-p", base] : ["-p", base, "-p", head];
    const made = this.git("commit-tree", tree, ...parents, "-m", `Merge #${pull.number}`);
    this.git("update-ref", `refs/heads/${pull.base}`, made);
    pull.endedAt = head;
    pull.state = "merged";
    return made;
  }

  deleteBranch(branch: string): void {
    this.git("update-ref", "-d", `refs/heads/${branch}`);
  }
}

/** A log as the forge or its store serves it: `/logs/ID`. */
export function logOf(forge: PlayedForge, path: string): PlayedAnswer {
  const check = forge.checks.find(({ id }) => path.endsWith(`/${id}`));
  if (!check) return { status: 404, body: { message: "Not Found" } };
  const { logBytes } = forge.quirks;
  return logBytes > 0
    ? { status: 200, long: { bytes: logBytes, end: check.log } }
    : { status: 200, body: check.log };
}

/** One page of a list, with the header that names the next page (RFC 8288). */
export function paged<T>(
  forge: PlayedForge,
  { path, query }: PlayedRequest,
  all: readonly T[],
  shape: (items: T[]) => unknown,
  size: "per_page" | "limit" = "per_page",
): PlayedAnswer {
  const perPage = Math.min(Number(query.get(size) ?? 30), forge.quirks.pageSize);
  const page = Number(query.get("page") ?? 1);
  const next = new URLSearchParams(query);
  next.set("page", String(page + 1));
  const more = page * perPage < all.length;
  // Some forges call themselves by a different address than the one that reaches them.
  const link = `<https://forge.internal${path}?${next}>; rel="next", <https://forge.internal${path}?page=9>; rel="last"`;
  return {
    status: 200,
    headers: more ? { link } : {},
    body: shape(all.slice((page - 1) * perPage, page * perPage)),
  };
}
