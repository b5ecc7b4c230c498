// Requests to a sandbox for its git state, commits and pushes. Loaded when first needed.

import * as z from "zod/mini";
import {
  type CommitRequest,
  Committed,
  type GitRemote,
  GitState,
  Pushed,
  PushPreview,
  type PushRequest,
} from "../../shared/delivery.ts";
import { api } from "./app-state.ts";

export async function gitState(sandboxId: string): Promise<GitState> {
  return z.parse(GitState, await (await api.send(`/sandboxes/${sandboxId}/git`)).json());
}

/** `key` belongs to one request: if the request is repeated after a lost answer, the commit is still made only once. */
export async function commit(sandboxId: string, body: z.input<typeof CommitRequest>): Promise<Committed> {
  const init = { method: "POST", body: JSON.stringify(body) };
  return z.parse(Committed, await (await api.send(`/sandboxes/${sandboxId}/commit`, init)).json());
}

/** The remote repository as the person saw it, and the credentials for it; `token` "" means the server's own. */
export interface AtRemote {
  token: string;
  remote: GitRemote;
}

/** The server refuses the push if the remote is no longer the one that the person saw. */
export function headersFor({ token, remote: { host, owner, name } }: AtRemote): Record<string, string> {
  const seen = { "x-git-remote": encodeURI(`${host}/${owner}/${name}`) };
  return token === "" ? seen : { ...seen, "x-git-token": token };
}

/** `at` has the credentials for the remote, if the device has some for its host. */
export async function pushPreview(sandboxId: string, branch: string, at?: AtRemote): Promise<PushPreview> {
  const path = `/sandboxes/${sandboxId}/push?branch=${encodeURIComponent(branch)}`;
  return z.parse(PushPreview, await (await api.send(path, at && { headers: headersFor(at) })).json());
}

export async function push(
  sandboxId: string,
  body: z.input<typeof PushRequest>,
  at: AtRemote,
): Promise<Pushed> {
  const init = { method: "POST", body: JSON.stringify(body), headers: headersFor(at) };
  return z.parse(Pushed, await (await api.send(`/sandboxes/${sandboxId}/push`, init)).json());
}
