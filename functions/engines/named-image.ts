// Reads the image that a repository names for its guest: `image` in .handrail/config.json, otherwise in its
// devcontainer.json. Anyone who writes to the repository can write these files, so a person has to approve
// the image.
import { isRecord } from "../../shared/is-record.ts";

/** A reference in Docker's form, with registry, tag or digest, but without variables. */
const reference = /^[a-z0-9](?:[\w./:@-]{0,254})$/i;
/** Longer files are cut off here and then fail to parse as JSON. */
const mostBytes = 64 * 1024;
const range = `bytes=0-${mostBytes - 1}`;
const answerMs = 5_000;
/**
 * In a devcontainer.json (https://containers.dev/implementors/spec/#devcontainerjson), `image` is a top-level
 * field, or there is none.
 */
const places = [".handrail/config.json", ".devcontainer/devcontainer.json", ".devcontainer.json"] as const;

/**
 * `ask` requests a path of the guest's server below its sandbox. "" = no image is named. Throws if the server
 * does not answer.
 */
export async function namedImage(
  ask: (path: string, init: RequestInit) => Promise<Response>,
): Promise<string> {
  const signal = AbortSignal.timeout(answerMs);
  const texts = await Promise.all(
    places.map(async (path) => {
      const answer = await ask(`/file?path=${encodeURIComponent(path)}`, { headers: { range }, signal });
      if (answer.ok && answer.body) return startOf(answer.body);
      await answer.body?.cancel();
      return "";
    }),
  );
  return texts.map(imageIn).find((image) => image !== undefined) ?? "";
}

/** The answer is limited because it may not come from our server: a person's commands run beside it. */
async function startOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let left = mostBytes;
  for await (const part of body) {
    text += decoder.decode(part.subarray(0, left), { stream: true });
    left -= part.length;
    if (left <= 0) break;
  }
  return text;
}

/** The image named in JSON that may contain comments and trailing commas. */
export function imageIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(plainJson(text));
    const image = isRecord(value) ? value.image : undefined;
    return typeof image === "string" && reference.test(image) ? image : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Removes comments and trailing commas. An unclosed string or comment extends to the end of the text, because
 * searching for its end from every possible beginning would take minutes.
 */
function plainJson(text: string): string {
  const bare = text
    .replace(/^\ufeff/, "")
    .replace(/("(?:\\[\s\S]|[^"\\])*(?:"|\\?$))|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/g, "$1");
  return bare.replace(/("(?:\\[\s\S]|[^"\\])*(?:"|\\?$))|,(?=\s*[}\]])/g, "$1");
}
