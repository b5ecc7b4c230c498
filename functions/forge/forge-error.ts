// A forge's refusal in words for a person: what was wrong and what to do. Never contains the token.
import { HandrailError } from "../../shared/errors.ts";
import { isRecord } from "../../shared/is-record.ts";

/**
 * `details.reason` of an error. `unpushed`: the forge does not have the branch; `moved`: the branch is now on a
 * different commit.
 */
export type ForgeReason =
  | "token"
  | "rights"
  | "missing"
  | "exists"
  | "protected"
  | "moved"
  | "unpushed"
  | "nothing"
  | "redirect"
  | "down"
  | "unsupported"
  | "other";

/** Some forges ask for a day, which is longer than a person waits. */
const longestWaitSeconds = 60 * 60;
/** How much of a forge's own message is shown: some answer with a whole page. */
const saidChars = 300;

/** `status`: of the forge's answer; 0 = no answer. `said`: the forge's message, on one line. */
export function forgeRefusal(reason: ForgeReason, message: string, said = "", status = 0): HandrailError {
  return new HandrailError("push_refused", message, {
    retryable: reason === "down",
    details: { reason, said, ...(status ? { status } : {}) },
  });
}

export function reasonOf(error: unknown): ForgeReason | undefined {
  if (!(error instanceof HandrailError) || error.code !== "push_refused") return undefined;
  const { reason } = error.details ?? {};
  return typeof reason === "string" ? (reason as ForgeReason) : undefined;
}

/** The reasons that mean: nothing exists there, or the token may not read it. */
export const unseen: readonly ForgeReason[] = ["rights", "missing"];

/** `answer`, or what `otherwise` makes of an error for one of these reasons; it may throw another one. */
export async function orElse<T, E>(
  answer: Promise<T>,
  reasons: readonly ForgeReason[],
  otherwise: (error: unknown) => E | Promise<E>,
): Promise<T | E> {
  try {
    return await answer;
  } catch (error) {
    if (reasons.some((reason) => reason === reasonOf(error))) return otherwise(error);
    throw error;
  }
}

/** The forge's own message; "" = none. */
export function saidIn(error: unknown): string {
  return error instanceof HandrailError ? String(error.details?.said ?? "") : "";
}

/** The error for an answer that is not 2xx. `now`: milliseconds since the epoch. */
export function forgeError(
  host: string,
  { status, headers }: Response,
  body: unknown,
  hadToken: boolean,
  now: number,
): HandrailError {
  const said = wordsIn(body);
  const wait = status === 403 || status === 429 ? waitOf(headers, status, said, now) : undefined;
  if (wait !== undefined) return rateLimited(host, wait, said);
  if (status >= 500)
    return forgeRefusal(
      "down",
      `${host} has a problem of its own (${status}). Try again later.`,
      said,
      status,
    );
  const [reason, message] = judged(host, status, said, hadToken);
  return forgeRefusal(reason, message, said, status);
}

/** The error inside a 2xx answer; GraphQL puts errors there. */
export function limited(host: string, headers: Headers, said: string, now: number): HandrailError {
  return rateLimited(host, waitOf(headers, 429, said, now) ?? 60, said);
}

function rateLimited(host: string, wait: number, said: string): HandrailError {
  const message = `${host} accepts no more requests with this token for now. Try again in ${inWords(wait)}.`;
  return new HandrailError("rate_limited", message, { details: { retryAfterSeconds: wait, said } });
}

function judged(host: string, status: number, said: string, hadToken: boolean): [ForgeReason, string] {
  const quoted = said === "" ? "it gave no reason" : said;
  switch (status) {
    case 401:
      return hadToken
        ? [
            "token",
            `${host} does not take this token: it may have expired or been revoked. Give another one.`,
          ]
        : ["token", `${host} asks who you are. Give a token for it.`];
    case 403:
      return ["rights", `${host} does not allow that with this token: ${quoted}.`];
    case 404:
    case 410:
      return ["missing", `${host} has nothing there, or this token has no right to see it.`];
    case 405:
    case 423:
      return ["protected", `${host} does not allow that now: ${quoted}.`];
    case 409:
      return ["moved", `${host} has it otherwise by now: ${quoted}. Look at it again.`];
    default:
      if (status >= 300 && status < 400)
        return [
          "redirect",
          `${host} sends elsewhere, where the token does not go. Use the repository's new address.`,
        ];
      return ["other", `${host} refused that: ${quoted}.`];
  }
}

/**
 * Seconds until requests are accepted again; undefined = not a rate limit. GitHub also reports rate limits with 403:
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api, GitLab with 429 and
 * `RateLimit-Reset`.
 */
function waitOf(headers: Headers, status: number, said: string, now: number): number | undefined {
  const after = headers.get("retry-after");
  const reset = headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset");
  const isUsedUp = (headers.get("x-ratelimit-remaining") ?? headers.get("ratelimit-remaining")) === "0";
  const isSecondary = /secondary rate limit|abuse detection/i.test(said);
  if (status === 403 && after === null && !isUsedUp && !isSecondary) return undefined;
  const seconds =
    after !== null
      ? /^\d+$/.test(after)
        ? Number(after)
        : (Date.parse(after) - now) / 1_000
      : isUsedUp && reset !== null
        ? Number(reset) - now / 1_000
        : 60;
  return Math.min(Math.max(Math.ceil(seconds) || 60, 1), longestWaitSeconds);
}

function inWords(seconds: number): string {
  return seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** `message` and `errors` of GitHub and Gitea, `message` and `error` of GitLab, which may hold lists and objects. */
function wordsIn(body: unknown): string {
  if (!isRecord(body)) return "";
  const { message, error, errors } = body;
  const parts = [message ?? error, errors].flatMap(flat).filter((part) => part !== "Validation Failed");
  // Control characters, and those that change the direction of text, do not belong in a sentence.
  const line = [...new Set(parts)]
    .join("; ")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  return line.slice(0, saidChars).replace(/\.$/, "");
}

function flat(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(flat);
  if (typeof value !== "object" || value === null) return [];
  const { message, field, code } = value as Record<string, unknown>;
  if (typeof message === "string") return [message];
  if (typeof field === "string") return [`${field}: ${String(code)}`];
  return Object.entries(value).map(([name, inner]) => `${name}: ${flat(inner).join(", ")}`);
}
