// The arguments and values of each op (PROTOCOL 4). The edge does not import this file, because it needs only some of
// them.
import { BackgroundArgs } from "./background.ts";
import { CommitArgs, Committed } from "./delivery.ts";
import { GitArgs, GitValue } from "./git.ts";
import { LookArgs, LookValue } from "./look.ts";
import {
  ChangeArgs,
  ChangeValue,
  ExecArgs,
  ExecValue,
  ListArgs,
  ListValue,
  ReadArgs,
  ReadValue,
  SearchArgs,
  SearchValue,
} from "./sandbox.ts";
import { RestoreArgs, RestoreValue, SnapshotArgs, SnapshotValue } from "./snapshot.ts";

export const opArgs = {
  read: ReadArgs,
  list: ListArgs,
  search: SearchArgs,
  change: ChangeArgs,
  exec: ExecArgs,
  git: GitArgs,
  snapshot: SnapshotArgs,
  restore: RestoreArgs,
  look: LookArgs,
  background: BackgroundArgs,
  commit: CommitArgs,
} as const;

export const opValue = {
  read: ReadValue,
  list: ListValue,
  search: SearchValue,
  change: ChangeValue,
  exec: ExecValue,
  git: GitValue,
  snapshot: SnapshotValue,
  restore: RestoreValue,
  look: LookValue,
  background: ExecValue,
  commit: Committed,
} as const;
