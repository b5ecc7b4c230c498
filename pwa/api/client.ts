// Sends requests to the edge API with the bearer token, parses the answers, and throws a HandrailError for an error. It
// knows nothing of the screens.
import * as z from "zod/mini";
import { Changes, Config, Health, SandboxAnswer } from "../../shared/api.ts";
import type { SaidNotes } from "../../shared/device-notes.ts";
import { ErrorBody, HandrailError } from "../../shared/errors.ts";
import { ModelDraft, type ModelDraftRequest } from "../../shared/model-draft.ts";
import { AllowedHosts, type AllowHost, Opened, type OpenNetwork } from "../../shared/network.ts";
import type { NotifyOption, PushSubscriptionInfo } from "../../shared/push.ts";
import type { Source } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { TakenOutList } from "../../shared/taken-out.ts";
import type { ResumeRequest, SteerRequest } from "../../shared/turn.ts";
import { type BringBack, BroughtBack, type WantsWorktree, WorktreeState } from "../../shared/worktree.ts";

export interface ApiDeps {
  fetch: typeof fetch;
  /** null if this device is not paired. */
  token(): string | null;
  /**
   * Returns the person's own key for a provider, by default for the server's first one; undefined means that the server
   * has a key itself.
   */
  modelKey?(provider: string | undefined): string | undefined;
  /** Returns the header with the tokens of these MCP servers. */
  mcpHeaders?(servers: readonly unknown[]): Promise<Record<string, string>>;
  /** Called when the server rejects the token. */
  onUnauthorized(): void;
}

type ResumeBody = Pick<ResumeRequest, "attempt" | "after" | "seen" | "client" | "stored">;

/** Compressing a shorter body saves nothing: it fits into one or two packets anyway. */
const minGzipChars = 2_000;

export type Api = ReturnType<typeof createApi>;

/** Throws a HandrailError for an answer that is not 2xx, and a TypeError if there is no connection. */
export function createApi(deps: ApiDeps) {
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    const token = deps.token();
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    let { body } = init;
    if (body !== undefined) headers.set("content-type", "application/json");
    if (typeof body === "string" && body.length > minGzipChars && "CompressionStream" in globalThis) {
      headers.set("content-encoding", "gzip");
      body = await gzip(body);
    }
    const response = await deps.fetch(`/api${path}`, {
      ...init,
      ...(body && { body }),
      headers,
      cache: "no-store",
    });
    if (response.ok) return response;
    const error = await errorOf(response);
    // An answer that was on its way when the token changed says nothing about the new one.
    if (error.code === "unauthorized" && token === deps.token()) deps.onUnauthorized();
    throw error;
  };
  const json = async <T extends z.ZodMiniType>(
    schema: T,
    path: string,
    init?: RequestInit,
  ): Promise<z.output<T>> => z.parse(schema, await (await send(path, init)).json());

  const keyHeaders = (provider: string | undefined): Record<string, string> => {
    const key = deps.modelKey?.(provider);
    return key === undefined ? {} : { "x-model-key": key };
  };

  return {
    send,
    health: () => json(Health, "/health"),
    config: () => json(Config, "/config"),
    keyHeaders,
    mcpHeaders: async (servers: readonly unknown[]) => (await deps.mcpHeaders?.(servers)) ?? {},
    createSandbox: (source?: Source, worktree?: WantsWorktree, guest?: { key: string; engine?: string }) =>
      json(SandboxAnswer, "/sandboxes", {
        method: "POST",
        body: JSON.stringify({ ...(source && { source }), ...(worktree && { worktree }), ...guest }),
      }),
    /** Resolves when the sandbox is awake. `image` names the image in which it starts. */
    wakeSandbox: async (id: string, image?: string) => {
      const query = image === undefined ? "" : `?image=${encodeURIComponent(image)}`;
      await send(`/sandboxes/${id}/wake${query}`, { method: "POST" });
    },
    worktree: (id: string) => json(WorktreeState, `/sandboxes/${id}/worktree`),
    giveWorktree: (id: string, name: string) =>
      json(SandboxAnswer, `/sandboxes/${id}/worktree`, { method: "POST", body: JSON.stringify({ name }) }),
    bringBack: (id: string, body: BringBack) =>
      json(BroughtBack, `/sandboxes/${id}/bring-back`, { method: "POST", body: JSON.stringify(body) }),
    sandbox: (id: string) => json(SandboxAnswer, `/sandboxes/${id}`),
    allowHost: (id: string, body: AllowHost) =>
      json(AllowedHosts, `/sandboxes/${id}/hosts`, { method: "POST", body: JSON.stringify(body) }),
    openNetwork: (id: string, body: OpenNetwork) =>
      json(Opened, `/sandboxes/${id}/network`, { method: "POST", body: JSON.stringify(body) }),
    closeNetwork: async (id: string) => {
      await send(`/sandboxes/${id}/network`, { method: "DELETE" });
    },
    /** Revokes every host that commands in this sandbox were allowed to reach. */
    forgetHosts: async (id: string) => {
      await send(`/sandboxes/${id}/hosts`, { method: "DELETE" });
    },
    deleteSandbox: async (id: string) => {
      await send(`/sandboxes/${id}`, { method: "DELETE" });
    },
    /** Revokes everything that the session was allowed in this sandbox, or only the grant with that id. */
    revokeGrants: async (id: string, grant?: string) => {
      const which = grant === undefined ? "" : `/${encodeURIComponent(grant)}`;
      await send(`/sandboxes/${id}/grants${which}`, { method: "DELETE" });
    },
    takenOut: (id: string) => json(TakenOutList, `/sandboxes/${id}/taken-out`),
    putBack: async (id: string, entry: string) => {
      await send(`/sandboxes/${id}/taken-out/${encodeURIComponent(entry)}`, { method: "POST" });
    },
    diff: async (id: string, since?: string) =>
      (
        await send(`/sandboxes/${id}/diff${since === undefined ? "" : `?since=${encodeURIComponent(since)}`}`)
      ).text(),
    /** The session's own changes since that snapshot, and those of others. */
    changes: (id: string, since?: string) =>
      json(
        Changes,
        `/sandboxes/${id}/changes${since === undefined ? "" : `?since=${encodeURIComponent(since)}`}`,
      ),
    snapshot: (sandboxId: string) =>
      json(SnapshotValue, `/sandboxes/${sandboxId}/snapshot`, { method: "POST" }),
    /**
     * Continues a turn that was posted before. Returns undefined if the server does not have its request, or no longer
     * has it.
     */
    resumeTurn: async (
      sandboxId: string,
      turnId: string,
      body: ResumeBody,
      signal: AbortSignal,
      headers: Record<string, string> = {},
    ) => {
      const path = `/turns/${sandboxId}/${turnId}/resume`;
      return send(path, { method: "POST", body: JSON.stringify(body), signal, headers }).catch(
        (error: unknown) => {
          if (error instanceof HandrailError && error.code === "not_found") return undefined;
          throw error;
        },
      );
    },
    steerTurn: async (sandboxId: string, turnId: string, body: SteerRequest) => {
      await send(`/turns/${sandboxId}/${turnId}/steer`, { method: "POST", body: JSON.stringify(body) });
    },
    draft: (body: ModelDraftRequest) =>
      json(ModelDraft, "/draft", {
        method: "POST",
        body: JSON.stringify(body),
        headers: keyHeaders(body.model?.provider),
      }),
    testPush: async (subscription: PushSubscriptionInfo) => {
      await send("/push/test", { method: "POST", body: JSON.stringify({ subscription }) });
    },
    /** Replaces the notification settings with which the turn was posted. */
    notifyTurn: async (sandboxId: string, turnId: string, notify: NotifyOption) => {
      await send(`/turns/${sandboxId}/${turnId}/notify`, { method: "POST", body: JSON.stringify(notify) });
    },
    /** Tells the session's other devices that it changed. */
    note: async (sandboxId: string, notes: SaidNotes) => {
      await send(`/sandboxes/${sandboxId}/notes`, { method: "POST", body: JSON.stringify(notes) });
    },
    stopTurn: async (sandboxId: string, turnId: string) => {
      await send(`/turns/${sandboxId}/${turnId}/stop`, { method: "POST" });
    },
  };
}

/** The body is sent whole and not as a stream, because browsers demand HTTP/2 for streamed bodies. */
function gzip(text: string): Promise<Blob> {
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

async function errorOf(response: Response): Promise<HandrailError> {
  const text = await response.text().catch(() => "");
  try {
    const { error } = z.parse(ErrorBody, JSON.parse(text));
    return new HandrailError(error.code, error.message, {
      retryable: error.retryable ?? response.status >= 500,
      ...(error.details === undefined ? {} : { details: error.details }),
    });
  } catch {
    if (response.status === 401) return new HandrailError("unauthorized", "This device is not paired.");
    if (response.status === 404)
      return new HandrailError("not_found", "The server does not know this address.");
    return new HandrailError("internal", `The server answered ${response.status} without saying why.`, {
      retryable: response.status >= 500 || response.status === 429,
    });
  }
}
