// The edge's only way to the sandbox server: one method for each route of PROTOCOL 4; failures become HandrailError.
import * as z from "zod/mini";
import type { CreateSandboxRequest } from "../../shared/api.ts";
import { CallsLine } from "../../shared/calls-line.ts";
import { Capabilities } from "../../shared/capabilities.ts";
import type { SaidNotes } from "../../shared/device-notes.ts";
import { HandrailError } from "../../shared/errors.ts";
import { HistoryPart, SessionRows } from "../../shared/history.ts";
import {
  AttendanceLine,
  type AttendanceNews,
  type ClaimRequest,
  ClaimResponse,
  IdleTurns,
  JournalLine,
  PostedTurn,
  type Steer,
  SteerAnswer,
} from "../../shared/journal.ts";
import type { NotifyOption } from "../../shared/push.ts";
import { type CallsRequestInput, type CreateSandbox, SandboxInfo } from "../../shared/sandbox.ts";
import { TakenOutList } from "../../shared/taken-out.ts";
import type { SteerRequest } from "../../shared/turn.ts";
import * as limits from "../limits.ts";
import { failure, readNdjson, unreachable } from "./answers.ts";

export interface SandboxClientOptions {
  fetch: typeof fetch;
  /** Origin of the sandbox server, without `/v1`. */
  baseUrl: string;
  token: string;
  /** Present if engines create guests for sessions. */
  hasGuests?: unknown;
  /** How long the server may be silent before it counts as gone. */
  silenceMs?: number;
}

/** How a runner attends its turn: the sandbox knows that the runner is alive, and sends it news. */
export interface Attending {
  /** Aborted when the turn no longer runs here. */
  over: AbortSignal;
  /**
   * While a client follows the turn, the runner sends a heartbeat every second, so that a frozen process is noticed
   * too. Each heartbeat costs a request.
   */
  beats: boolean;
  onNews(news: AttendanceNews): void;
}

/** All methods throw HandrailError: the server's own, or `sandbox_unreachable` if it cannot be reached. */
export interface SandboxClient {
  capabilities(): Promise<Capabilities>;
  /** The server's sessions after the place `after`; "" = from the beginning. */
  list(after: string): Promise<SessionRows>;
  /**
   * Passes on notes of one device to the session's others, or a turn's notification settings. Fails with 409
   * `turn_finished` if the turn has ended.
   */
  tell(id: string, what: "notes", body: SaidNotes): Promise<void>;
  tell(id: string, what: `turns/${string}/notify`, body: NotifyOption): Promise<void>;
  /** `query`: the query string of its route. */
  history(id: string, query: string, signal: AbortSignal): Promise<HistoryPart>;
  /** `person`: who asks, for the limits of guests. */
  create(body: CreateSandbox & CreateSandboxRequest & { person?: string }): Promise<SandboxInfo>;
  get(id: string): Promise<SandboxInfo>;
  remove(id: string): Promise<void>;
  /** Files that were removed from the workspace after commands. */
  takenOut(id: string): Promise<TakenOutList>;
  putBack(id: string, entry: string): Promise<void>;
  /** Revokes one of the person's grants, or all of them if none is named. */
  revoke(id: string, grantId?: string): Promise<void>;
  /** The lines of a batch as they arrive. A stream that ends without `end` throws `sandbox_unreachable`. */
  calls(id: string, body: CallsRequestInput, signal?: AbortSignal): AsyncGenerator<CallsLine, void>;
  /** `attending`: the claimer runs the turn until its signal is aborted. */
  claim(id: string, turnId: string, body: ClaimRequest, attending?: Attending): Promise<ClaimResponse>;
  /** Journal lines with a seq of at least `from`, then pings and new lines for up to `waitMs`. */
  journal(
    id: string,
    turnId: string,
    from: number,
    waitMs: number,
    signal?: AbortSignal,
  ): AsyncGenerator<JournalLine, void>;
  /**
   * The request with which a turn was posted, for a process that continues it; `idle`: only if no process runs the
   * turn.
   */
  posted(id: string, turnId: string, idle: boolean): Promise<PostedTurn>;
  /** Turns of all sandboxes that no process runs. */
  idleTurns(): Promise<IdleTurns>;
  stop(id: string, turnId: string): Promise<void>;
  /**
   * Sends a message of the person to the running turn, and returns it as journaled. Fails with 409 `turn_finished` if
   * no turn runs.
   */
  steer(id: string, turnId: string, body: SteerRequest): Promise<Steer | undefined>;
  /** Counts of guests for GET /api/metrics; absent = there are none. */
  guests?: () => Promise<unknown>;
  /** The raw response of a route that returns bytes (`file?…`, `archive`); throws for any status other than 2xx. */
  raw(id: string, pathAndQuery: string, init?: RequestInit): Promise<Response>;
}

export function createSandboxClient({
  fetch,
  baseUrl,
  token,
  hasGuests,
  silenceMs = limits.sandboxSilenceMs,
}: SandboxClientOptions): SandboxClient {
  const root = `${baseUrl.replace(/\/+$/, "")}/v1`;

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    let response: Response;
    try {
      response = await fetch(`${root}${path}`, { ...init, headers });
    } catch (cause) {
      // A network failure is a TypeError (https://fetch.spec.whatwg.org/#fetch-method), even if the signal aborts at
      // the same time.
      if (init.signal?.aborted && !(cause instanceof TypeError)) throw cause;
      throw unreachable(cause);
    }
    if (response.ok) return response;
    throw await failure(response);
  }

  const json = (method: string, body: unknown): RequestInit => ({
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

  async function read<T extends z.core.$ZodType>(
    schema: T,
    path: string,
    init?: RequestInit,
  ): Promise<z.infer<T>> {
    const response = await request(path, init);
    return z.parse(schema, await response.json());
  }

  /** For responses that need no work from the server: fails if one does not arrive in time. */
  async function soon<T>(answer: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unreachable(undefined)), silenceMs);
    });
    return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
  }

  /**
   * The lines of a stream with pings. If the server is silent, even before its headers, the stream ends as unreachable.
   */
  async function* lines(
    path: string,
    init: RequestInit,
    signal?: AbortSignal,
  ): AsyncGenerator<unknown, void> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), silenceMs);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
    };
    try {
      const either = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
      yield* readNdjson(await request(path, { ...init, signal: either }), either, heard);
    } catch (error) {
      throw silence.signal.aborted ? unreachable(error) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reads the runner's stream to the end of its turn, and opens it again if it breaks. Never rejects. */
  async function attend(
    path: string,
    epoch: number,
    { over, beats, onNews }: Attending,
    opened: AsyncGenerator<unknown, void>,
  ): Promise<void> {
    const beat = () => void request(`${path}/beat`, json("POST", { epoch })).catch(() => undefined);
    let beating: ReturnType<typeof setInterval> | undefined;
    const end = () => clearInterval(beating);
    const hear = (news: AttendanceNews) => {
      if (news.type === "watchers") {
        end();
        if (beats && news.count > 0) beating = setInterval(beat, limits.beatMs);
      }
      onNews(news);
    };
    over.addEventListener("abort", end, { once: true });
    const again = `${path}/attend?epoch=${epoch}${beats ? "&beats=1" : ""}`;
    for (let news = opened; !over.aborted; news = lines(again, {}, over)) {
      try {
        for await (const line of news) {
          const { data } = z.safeParse(AttendanceLine, line);
          if (data && data.type !== "ping" && data.type !== "claimed") hear(data);
          if (data?.type === "overtaken") return end();
        }
      } catch (error) {
        // The sandbox says that another runner has the turn; the runner's next request will get the same error.
        if (error instanceof HandrailError && error.code !== "sandbox_unreachable") return end();
      }
      if (!over.aborted) await new Promise((resolve) => setTimeout(resolve, limits.attendAgainMs));
    }
  }

  const turnPath = (id: string, turnId: string) =>
    `/sandboxes/${encodeURIComponent(id)}/turns/${encodeURIComponent(turnId)}`;

  return {
    ...(hasGuests ? { guests: () => read(z.unknown(), "/guests") } : {}),
    capabilities: () => read(Capabilities, "/capabilities"),
    list: (after) => read(SessionRows, `/sandboxes?after=${after}`),
    async tell(id, what, body) {
      await soon(request(`/sandboxes/${id}/${what}`, json("POST", body)));
    },
    history: (id, query, signal) => read(HistoryPart, `/sandboxes/${id}/history?${query}`, { signal }),
    create: (body) => read(SandboxInfo, "/sandboxes", json("POST", body)),
    get: (id) => read(SandboxInfo, `/sandboxes/${encodeURIComponent(id)}`),
    async remove(id) {
      await request(`/sandboxes/${encodeURIComponent(id)}`, { method: "DELETE" });
    },
    async revoke(id, grantId) {
      const which = grantId === undefined ? "" : `/${encodeURIComponent(grantId)}`;
      await soon(request(`/sandboxes/${encodeURIComponent(id)}/grants${which}`, { method: "DELETE" }));
    },
    takenOut: (id) => soon(read(TakenOutList, `/sandboxes/${encodeURIComponent(id)}/taken-out`)),
    async putBack(id, entry) {
      const path = `/sandboxes/${encodeURIComponent(id)}/taken-out/${encodeURIComponent(entry)}`;
      await request(path, { method: "POST" });
    },
    async *calls(id, body, signal) {
      for await (const line of lines(
        `/sandboxes/${encodeURIComponent(id)}/calls?starts=1`,
        json("POST", body),
        signal,
      )) {
        const parsed = z.parse(CallsLine, line);
        yield parsed;
        if (parsed.type === "end") return;
      }
      throw unreachable(undefined);
    },
    async claim(id, turnId, body, attending) {
      const path = turnPath(id, turnId);
      if (!attending) return soon(read(ClaimResponse, `${path}/claim`, json("POST", body)));
      const { over, beats } = attending;
      const init = json("POST", { ...body, attends: beats ? "beats" : "stream" });
      const news = lines(`${path}/claim`, init, over);
      const first = await news.next();
      if (first.done) throw unreachable(undefined);
      const claimed = z.safeParse(AttendanceLine, first.value);
      if (claimed.data?.type !== "claimed") throw unreachable(claimed.error);
      if (claimed.data.finished) await news.return();
      else void attend(path, body.epoch, attending, news);
      return claimed.data;
    },
    async *journal(id, turnId, from, waitMs, signal) {
      const query = `?from=${from}&waitMs=${waitMs}`;
      for await (const line of lines(`${turnPath(id, turnId)}${query}`, {}, signal))
        yield z.parse(JournalLine, line);
    },
    posted: (id, turnId, idle) =>
      soon(read(PostedTurn, `${turnPath(id, turnId)}/posted${idle ? "?idle=1" : ""}`)),
    idleTurns: () => soon(read(IdleTurns, "/turns")),
    async stop(id, turnId) {
      await soon(request(`${turnPath(id, turnId)}/stop`, { method: "POST" }));
    },
    async steer(id, turnId, body) {
      return (await soon(read(SteerAnswer, `${turnPath(id, turnId)}/steer`, json("POST", body)))).steer;
    },
    raw: (id, pathAndQuery, init) => request(`/sandboxes/${encodeURIComponent(id)}/${pathAndQuery}`, init),
  };
}
