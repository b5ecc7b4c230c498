// Requests to one forge, with limits of time and size. They go to its own origin only, except for logs. Errors are
// sentences for a person.
import * as z from "zod/mini";
import type { HandrailError } from "../../shared/errors.ts";
import type { ItemList, Page } from "./forge.ts";
import { forgeError, forgeRefusal, limited } from "./forge-error.ts";
import { tailOf } from "./log-tail.ts";

/** A forge answers in a second or two; a person waits. */
const answerMs = 15_000;
/** In this time a forge's log store sends about 200 MB of a log. */
const logMs = 60_000;
/** The longest lists that we request take a tenth of it. */
const answerBytes = 8 * 1024 * 1024;
/** A renamed repository redirects to its new name, which may itself have been renamed. */
const hops = 3;
/** Pages of a list that is read whole: at least 300 entries. */
const mostPages = 6;

export interface ForgeAccess {
  fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  now(): number;
  host: string;
  /** URL of the API, without a slash at its end. */
  api: string;
  /** Empty without a token. */
  headers: Record<string, string>;
  /** The client's signal: long reads end when the client disconnects. */
  signal: AbortSignal;
}

type Query = Readonly<Record<string, string | number | boolean>>;

interface ForgeAsk {
  method?: string;
  query?: Query;
  body?: object;
}

export class ForgeHttp {
  readonly #access: ForgeAccess;

  constructor(access: ForgeAccess) {
    this.#access = access;
  }

  get host(): string {
    return this.#access.host;
  }

  /** `path`: begins with a slash, or a whole URL of the same origin. */
  async json<T extends z.core.$ZodType>(schema: T, path: string, asked: ForgeAsk = {}): Promise<z.output<T>> {
    return (await this.answered(schema, path, asked)).value;
  }

  /** `limit`: the error for an answer whose body says that a limit is reached. */
  async answered<T extends z.core.$ZodType>(
    schema: T,
    path: string,
    asked: ForgeAsk,
  ): Promise<{ value: z.output<T>; limit(said: string): HandrailError }> {
    const response = await this.#send(path, asked);
    const { host, now } = this.#access;
    return {
      value: this.#parsed(schema, await this.#text(response)),
      limit: (said) => limited(host, response.headers, said, now()),
    };
  }

  /** For answers whose body does not matter. */
  async done(path: string, asked: ForgeAsk): Promise<void> {
    await (await this.#send(path, asked)).body?.cancel();
  }

  /** One page of a list, and the number of the next one. */
  async page<T extends z.core.$ZodType>(
    schema: T,
    path: string,
    query: Query,
  ): Promise<{ value: z.output<T>; next: number | null }> {
    const response = await this.#send(path, { query });
    return { value: this.#parsed(schema, await this.#text(response)), next: nextPage(response.headers) };
  }

  /** Like `page`, with each entry mapped by `as`. */
  async some<T extends z.core.$ZodType, I>(
    one: T,
    path: string,
    query: Query,
    as: (one: z.output<T>) => I,
  ): Promise<Page<I>> {
    const { value, next } = await this.page(z.array(one), path, query);
    return { items: value.map(as), next };
  }

  /** All pages, up to a limit. `items`: the entries of one page. */
  async all<T extends z.core.$ZodType, I>(
    schema: T,
    path: string,
    query: Query,
    items: (value: z.output<T>) => I[],
    until: (item: I) => boolean = () => false,
  ): Promise<ItemList<I>> {
    const found: I[] = [];
    for (let at = 1, pages = 1; ; pages++) {
      const { value, next } = await this.page(schema, path, at === 1 ? query : { ...query, page: at });
      const some = items(value);
      found.push(...some);
      if (next === null || next <= at || some.some(until)) return { items: found, truncated: false };
      if (pages === mostPages) return { items: found, truncated: true };
      at = next;
    }
  }

  /** All pages of a list of such entries, up to a limit. */
  list<T extends z.core.$ZodType>(
    one: T,
    path: string,
    query: Query,
    until?: (item: z.output<T>) => boolean,
  ): Promise<ItemList<z.output<T>>> {
    return this.all(z.array(one), path, query, (value) => value, until);
  }

  /** The end of a text of any size. A redirect to a store on another host is followed without the token. */
  async tail(path: string): Promise<{ text: string; cut: boolean }> {
    const { signal } = this.#access;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(logMs)]);
    const response = await this.#send(path, {}, limit, true);
    try {
      const { text, cut } = await tailOf(response.body);
      return { text: this.#withoutToken(text), cut };
    } catch (error) {
      if (signal.aborted) throw error;
      const why = limit.aborted ? `took longer than ${logMs / 1_000} seconds` : "broke off";
      throw forgeRefusal("down", `Reading the log ${why}. Try again, or open it at ${this.host}.`);
    }
  }

  async #send(
    path: string,
    { method = "GET", query = {}, body }: ForgeAsk,
    limit?: AbortSignal,
    isLog = false,
  ) {
    const { api, headers, host } = this.#access;
    const own = new URL(api).origin;
    let url = new URL(path.startsWith("/") ? `${api}${path}` : path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const signal = limit ?? AbortSignal.timeout(answerMs);
    for (let hop = 0; ; hop++) {
      const isOwn = url.origin === own;
      const response = await this.#fetched(url, {
        method,
        redirect: "manual",
        signal,
        headers: {
          ...(isOwn ? { accept: "application/json", ...headers } : {}),
          "user-agent": "Handrail",
          ...(body ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (response.ok) return response;
      const to = locationOf(response, url);
      const repeats = method === "GET" || response.status === 307 || response.status === 308;
      if (to && repeats && hop < hops && (to.origin === own || (isLog && isStore(to, own)))) {
        await response.body?.cancel();
        url = to;
        continue;
      }
      const said = this.#read(await this.#text(response).catch(() => ""));
      throw forgeError(isOwn ? host : url.host, response, said, this.#token !== "", this.#access.now());
    }
  }

  async #fetched(url: URL, init: RequestInit): Promise<Response> {
    try {
      return await this.#access.fetch(url, init);
    } catch (error) {
      if (this.#access.signal.aborted) throw error;
      const why = init.signal?.aborted
        ? `did not answer within ${answerMs / 1_000} seconds`
        : "could not be reached";
      throw forgeRefusal("down", `${url.host} ${why}. Try again.`);
    }
  }

  async #text({ body }: Response): Promise<string> {
    const decoder = new TextDecoder();
    let [text, size] = ["", 0];
    try {
      for await (const chunk of body ?? []) {
        size += chunk.byteLength;
        if (size > answerBytes) break;
        text += decoder.decode(chunk, { stream: true });
      }
    } catch (error) {
      if (this.#access.signal.aborted) throw error;
      // The connection broke, or the time was up.
      throw forgeRefusal("down", `${this.host} did not answer to the end. Try again.`);
    }
    if (size > answerBytes) throw forgeRefusal("other", `${this.host} answered with more than 8 MB.`);
    return text + decoder.decode();
  }

  #parsed<T extends z.core.$ZodType>(schema: T, text: string): z.output<T> {
    const parsed = z.safeParse(schema, this.#read(text));
    if (parsed.success) return parsed.data;
    // A proxy's error page, or a server that is not this kind of forge.
    throw forgeRefusal(
      "other",
      `${this.host} answered with something that is not its API. Look at HANDRAIL_FORGES.`,
    );
  }

  get #token(): string {
    return this.#access.headers.authorization?.replace(/^\S+ /, "") ?? "";
  }

  /** The JSON in `text` without the token, however it is escaped there; undefined if it is not JSON. */
  #read(text: string): unknown {
    try {
      return JSON.parse(this.#withoutToken(JSON.stringify(JSON.parse(text))));
    } catch {
      return undefined;
    }
  }

  /** Some proxies repeat what was sent to them. A shorter token would be found in ordinary words. */
  #withoutToken(text: string): string {
    const token = this.#token;
    return token.length < 8 ? text : text.replaceAll(token, "…");
  }
}

function locationOf({ status, headers }: Response, from: URL): URL | undefined {
  const to = headers.get("location");
  return status >= 300 && status < 400 && to !== null && URL.canParse(to, from)
    ? new URL(to, from)
    : undefined;
}

/** Accepts the address of a log: a public host over https, or another port of the forge's own machine. */
function isStore({ protocol, hostname }: URL, own: string): boolean {
  const forge = new URL(own);
  if (hostname === forge.hostname) return protocol === forge.protocol;
  return protocol === "https:" && /^([a-z0-9-]+\.)+(?!(local|internal)$)[a-z][a-z0-9-]*$/.test(hostname);
}

/**
 * RFC 8288. Only the page's number is taken: some forges call themselves by a different address than the one that
 * reaches them.
 */
function nextPage(headers: Headers): number | null {
  const next = /<[^>]*?[?&]page=(\d+)[^>]*>\s*;[^,]*rel="?next"?/.exec(headers.get("link") ?? "");
  return next ? Number(next[1]) : null;
}
