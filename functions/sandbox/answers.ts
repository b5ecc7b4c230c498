// Interprets responses of the sandbox server: failures become HandrailError, streams become values.
import * as z from "zod/mini";
import { ErrorBody, HandrailError } from "../../shared/errors.ts";
import { LineBuffer } from "../../shared/ndjson.ts";

export function unreachable(cause: unknown): HandrailError {
  return new HandrailError(
    "sandbox_unreachable",
    "The sandbox server does not answer. Start it, or check SANDBOX_URL, then try again.",
    {
      cause,
    },
  );
}

export async function failure(response: Response): Promise<HandrailError> {
  const parsed = z.safeParse(ErrorBody, await response.json().catch(() => undefined));
  if (!parsed.success) {
    return new HandrailError(
      "sandbox_unreachable",
      `The sandbox server answered ${response.status} in a form Handrail does not know.`,
    );
  }
  const { code, message, retryable, details } = parsed.data.error;
  if (code === "unauthorized") {
    return new HandrailError(
      "sandbox_unreachable",
      "The sandbox server refused Handrail's token. Check SANDBOX_TOKEN.",
      { retryable: false },
    );
  }
  return new HandrailError(code, message, {
    ...(retryable === undefined ? {} : { retryable }),
    ...(details === undefined ? {} : { details }),
  });
}

export async function* readNdjson(
  response: Response,
  signal: AbortSignal,
  heard: () => void,
): AsyncGenerator<unknown, void> {
  if (!response.body) return;
  const lines = new LineBuffer();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  // A pending read ends even if the body does not: see functions/model/body-reader.ts.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel);
  try {
    for (;;) {
      const chunk = await reader.read().catch((cause: unknown) => {
        throw unreachable(cause);
      });
      if (chunk.done) return signal.throwIfAborted();
      heard();
      for (const line of lines.push(decoder.decode(chunk.value, { stream: true }))) yield JSON.parse(line);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    // The server records what runs, so reading can stop.
    await reader.cancel().catch(() => undefined);
  }
}
