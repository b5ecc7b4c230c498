// Asks a forge through the edge, with the token that this device keeps for it. Loaded when it is first needed.
import { signal } from "@preact/signals";
import * as z from "zod/mini";
import {
  type AnswerArgs,
  type ChangePullRequestArgs,
  CheckLog,
  DeviceCode,
  DeviceToken,
  ForgeBranches,
  ForgeIssues,
  ForgeList,
  ForgeRepositories,
  ForgeUser,
  type MergeArgs,
  PullMade,
  PullRequest,
  type PullRequestArgs,
} from "../../shared/forge.ts";
import { forgeTokens } from "../storage/forge-tokens.ts";
import { api, kv } from "./app-state.ts";
import { type AtRemote, headersFor } from "./delivery.ts";

const tokens = forgeTokens(kv, crypto.subtle);

/** Whether stored tokens survive closing the app. */
export const tokensLast = tokens.lasts;
/** Grows when a token is added or removed. */
export const tokensChanged = signal(0);
export const keptHosts = () => tokens.hosts();
export const keptToken = (host: string) => tokens.read(host);

export async function keepToken(host: string, token: string): Promise<void> {
  await tokens.keep(host, token);
  tokensChanged.value += 1;
}

export async function takeAway(host: string): Promise<void> {
  await tokens.drop(host);
  tokensChanged.value += 1;
}

/** On these hosts a request without TLS cannot be read on its way. */
const ownMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Adds the token that is kept for the host of an address, if the address has no login of its own. The result is used
 * for one clone.
 */
export async function withKeptToken(address: string): Promise<string> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && ownMachine.test(url.hostname));
  if (!url || !isSafe || url.username !== "") return address;
  const token = await tokens.read(url.host);
  if (token === "") return address;
  const [, user = "x-access-token", secret = ""] = /^(?:([^:]*):)?([\s\S]*)$/.exec(token) ?? [];
  return address.replace("://", () => `://${encodeURIComponent(user)}:${encodeURIComponent(secret)}@`);
}

type ForgeQuestion = { body?: object; headers?: Record<string, string> };

async function ask<T extends z.ZodMiniType>(
  schema: T,
  path: string,
  { body, headers = {} }: ForgeQuestion = {},
) {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return z.parse(schema, await (await api.send(path, { ...init, headers })).json());
}

async function tell(path: string, body: object, at: AtRemote): Promise<void> {
  await api.send(path, { method: "POST", body: JSON.stringify(body), headers: headersFor(at) });
}

/** `token` "" means the server's own token. */
const by = (token: string) => ({ headers: token === "" ? {} : { "x-git-token": token } });

export const forges = async () => (await ask(ForgeList, "/forges")).forges;

const at = (host: string, what: string, query: Record<string, string> = {}) =>
  `/forges/${encodeURIComponent(host)}/${what}?${new URLSearchParams(query)}`;

/** Returns the name of the token's owner; throws if the forge rejects the token. */
export const userOf = (host: string, token: string) => ask(ForgeUser, at(host, "user"), by(token));
export const repositories = (host: string, text: string, page: number, token: string) =>
  ask(ForgeRepositories, at(host, "repositories", { text, page: String(page) }), by(token));
export const branches = (host: string, repository: string, text: string, token: string) =>
  ask(ForgeBranches, at(host, "branches", { repository, text }), by(token));
export const issues = (host: string, repository: string, text: string, token: string) =>
  ask(ForgeIssues, at(host, "issues", { repository, text }), by(token));
export const deviceCode = (host: string) => ask(DeviceCode, at(host, "device"), { body: {} });
export const deviceToken = (host: string, code: string) =>
  ask(DeviceToken, at(host, "device-token"), { body: { deviceCode: code } });

const pull = (sandboxId: string, what = "") => `/sandboxes/${sandboxId}/pull-request${what}`;

export const pullRequest = (sandboxId: string, at: AtRemote) =>
  ask(PullRequest, pull(sandboxId), { headers: headersFor(at) });
export const openPull = (sandboxId: string, body: z.input<typeof PullRequestArgs>, at: AtRemote) =>
  ask(PullMade, pull(sandboxId), { body, headers: headersFor(at) });
export const changePull = (sandboxId: string, body: ChangePullRequestArgs, at: AtRemote) =>
  ask(PullMade, pull(sandboxId, "/change"), { body, headers: headersFor(at) });
export const mergePull = (sandboxId: string, body: MergeArgs, at: AtRemote) =>
  ask(PullMade, pull(sandboxId, "/merge"), { body, headers: headersFor(at) });
export const deletePullBranch = (sandboxId: string, number: number, at: AtRemote) =>
  tell(pull(sandboxId, "/delete-branch"), { number }, at);
export const resolveThread = (sandboxId: string, number: number, thread: string, at: AtRemote) =>
  tell(pull(sandboxId, "/resolve"), { number, thread }, at);
export const answerComment = (sandboxId: string, body: z.input<typeof AnswerArgs>, at: AtRemote) =>
  tell(pull(sandboxId, "/answer"), body, at);
export const checkLog = (sandboxId: string, number: number, check: string, at: AtRemote) => {
  const asked = new URLSearchParams({ number: String(number), check });
  return ask(CheckLog, `${pull(sandboxId, "/log")}?${asked}`, { headers: headersFor(at) });
};
