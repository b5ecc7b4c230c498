// The requests that the edge makes to any forge. Only the modules in this folder know the forges' APIs.
import type {
  CheckLog,
  ForgeIssue,
  ForgeKind,
  ForgeRepository,
  ForgeUser,
  MergeMethod,
  PullMade,
  PullRequest,
} from "../../shared/forge.ts";

/** The address of a forge. `host` is written as in a remote, with its port. */
export interface ForgePlace {
  kind: ForgeKind;
  host: string;
  /** Origin of its API and its pages; for GitHub itself the API is at `https://api.github.com`. */
  origin: string;
}

/** "owner/name". */
export type RepositoryPath = string;

export interface NewPull {
  title: string;
  body: string;
  branch: string;
  base: string;
  draft: boolean;
}

/** Absent fields stay as they are. `ready`: no longer a draft. */
export interface PullChange {
  title?: string | undefined;
  body?: string | undefined;
  ready?: true | undefined;
}

/** `head`: the commit that the forge has on its branch; `ownBranch`: the branch is in this repository, not in a fork. */
export interface FoundPull extends PullMade {
  head: string;
  branch: string;
  ownBranch: boolean;
}

/** One page of a list; `next`: the number of the next page. */
export interface Page<T> {
  items: T[];
  next: number | null;
}

/** A list read to its end, or only partly: `truncated`. */
export interface ItemList<T> {
  items: T[];
  truncated: boolean;
}

/** All methods throw HandrailError, in words for a person: see `forge-error.ts`. */
export interface Forge {
  user(): Promise<ForgeUser>;
  defaultBranch(repository: RepositoryPath): Promise<string>;
  /** The open pull request of a branch, otherwise the newest merged or closed one; null = there never was one. */
  find(repository: RepositoryPath, branch: string): Promise<FoundPull | null>;
  byNumber(repository: RepositoryPath, number: number): Promise<FoundPull>;
  /** Throws with the reason `exists` if the branch has one. */
  open(repository: RepositoryPath, pull: NewPull): Promise<PullMade>;
  look(repository: RepositoryPath, number: number): Promise<PullRequest>;
  /** The end of a check's output. `check`: an id of `look`. */
  log(repository: RepositoryPath, number: number, check: string): Promise<CheckLog>;
  /** Merges exactly `head`; throws if the branch has moved since. */
  merge(repository: RepositoryPath, number: number, head: string, method: MergeMethod): Promise<void>;
  /** The commit on a branch; null = there is no such branch. */
  branchHead(repository: RepositoryPath, branch: string): Promise<string | null>;
  deleteBranch(repository: RepositoryPath, branch: string): Promise<void>;
  resolve(repository: RepositoryPath, number: number, thread: string): Promise<void>;
  /** `thread`: an id from `look`; undefined = a comment on the pull request as a whole. */
  answer(repository: RepositoryPath, number: number, text: string, thread: string | undefined): Promise<void>;
  change(repository: RepositoryPath, number: number, change: PullChange): Promise<void>;
  /** `text`: "" = the most recently changed ones. */
  repositories(text: string, page: number): Promise<Page<ForgeRepository>>;
  branches(repository: RepositoryPath, text: string, page: number): Promise<Page<string>>;
  issues(repository: RepositoryPath, text: string, page: number): Promise<Page<ForgeIssue>>;
  issue(repository: RepositoryPath, number: number): Promise<ForgeIssue>;
}
