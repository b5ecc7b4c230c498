// Reads bodies and reports errors in the same form for all routes of /v1.
import * as z from "zod/mini";
import { type ErrorBody, HandrailError, statusOf, toHandrailError } from "../../shared/errors.ts";
import { jsonExcess } from "../../shared/json-excess.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import * as limits from "../limits.ts";
import type { RequestContext } from "./router.ts";

/** The error as an HTTP response. */
export function errorAnswer(error: unknown, requestId: string): Response {
  const known = toHandrailError(error);
  const body: ErrorBody = { error: known.toInfo(requestId) };
  const headers: Record<string, string> = { "content-type": "application/json", "x-request-id": requestId };
  if (known.code === "unauthorized") headers["www-authenticate"] = "Bearer";
  return new Response(JSON.stringify(body), { status: statusOf[known.code] || 500, headers });
}

/**
 * The JSON body in the form of `schema`. An absent body counts as `{}`. Throws `invalid_request` and names
 * the field.
 */
export async function readBody<T extends z.core.$ZodType>(c: RequestContext, schema: T): Promise<z.infer<T>> {
  const text = await textOf(c);
  const excess = jsonExcess(text, { levels: limits.jsonDepth, values: limits.jsonValues });
  if (excess !== undefined) throw invalid(`The body is too large: ${excess}.`);
  let value: unknown;
  try {
    value = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw invalid("The body is not valid JSON. Send one JSON object.");
  }
  const result = parsed(schema, value);
  if (result.success) return result.data;
  throw invalid(describeProblem(result.error));
}

/**
 * A failure has no issues if there are too many: zod passes an array's issues on as the arguments of one
 * call, which throws RangeError above the engine's limit.
 */
function parsed<T extends z.core.$ZodType>(schema: T, value: unknown) {
  try {
    return z.safeParse(schema, value);
  } catch (error) {
    if (error instanceof RangeError) return { success: false as const, error: { issues: [] } };
    throw error;
  }
}

function invalid(message: string): HandrailError {
  return new HandrailError("invalid_request", message);
}

/** Throws `too_large`. A body whose content-length is too large is not read at all. */
async function textOf({ request }: RequestContext): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  mustFit(Number(request.headers.get("content-length") ?? 0));
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    mustFit(bytes);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function mustFit(bytes: number): void {
  if (bytes > limits.requestBytes)
    throw new HandrailError(
      "too_large",
      `The body is above ${limits.requestBytes} bytes. Send less at once.`,
    );
}

/** A query parameter that must be a whole number of at least 0. */
export function numberParameter(c: RequestContext, name: string, fallback: number): number {
  const text = c.query(name);
  if (text === undefined || text === "") return fallback;
  if (!/^\d{1,15}$/.test(text))
    throw new HandrailError("invalid_request", `${name}: must be a whole number of at least 0.`);
  return Number(text);
}
