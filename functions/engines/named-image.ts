// The image that a repository names for its guest: `image` of .handrail/config.json, else of its devcontainer.json. Whoever
// writes to the repository writes these files: a person has to say yes to what they name.
import { isRecord } from "../../shared/is-record.ts";

/** As Docker writes them, with a registry, a tag or a digest; no variables. */
const reference = /^[a-z0-9](?:[\w./:@-]{0,254})$/i;
/** The rest of a longer file is not read, and what was read is no JSON. */
const range = "bytes=0-65535";
/** https://containers.dev/implementors/spec/#devcontainerjson, where `image` is a field of its own or there is none. */
const places = [".handrail/config.json", ".devcontainer/devcontainer.json", ".devcontainer.json"] as const;

/** `ask` requests a path of the guest's server below its sandbox. undefined = it names none. */
export async function namedImage(
  ask: (path: string, init: RequestInit) => Promise<Response>,
): Promise<string | undefined> {
  const texts = await Promise.all(
    places.map(async (path) => {
      const answer = await ask(`/file?path=${encodeURIComponent(path)}`, { headers: { range } });
      if (answer.ok) return answer.text();
      await answer.body?.cancel();
      return "";
    }),
  );
  return texts.map(imageIn).find((image) => image !== undefined);
}

/** The image named in JSON that may have comments and trailing commas. */
export function imageIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(plainJson(text));
    const image = isRecord(value) ? value.image : undefined;
    return typeof image === "string" && reference.test(image) ? image : undefined;
  } catch {
    return undefined;
  }
}

function plainJson(text: string): string {
  const bare = text.replace(/^\ufeff/, "").replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, "$1");
  return bare.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, "$1");
}
