// Parses the address of a repository as people write it: the part that may be stored and shown, and the
// secret part.
import { HandrailError } from "../../shared/errors.ts";

export interface Address {
  /** Without user and password. This may be written to the disk, answers and logs. */
  url: string;
  /** USER:TOKEN. */
  token: string | undefined;
  /** Name of the repository, for people. */
  name: string;
}

/**
 * Throws `invalid_request` unless the text is an address of a repository. The error never repeats the text.
 */
export function addressOf(text: string): Address {
  // In a URL, `..` is resolved; here it would stay, and lead a forge's API to another path than the repository's.
  if (/^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:(?!(?:.*\/)?\.\.?(?:\/|$))[^:?#\s-][^:?#\s]*$/.test(text))
    return { url: text, token: undefined, name: nameOf(text.replace(/^[^:]*:/, "")) };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A file URL would open every repository of this machine to anyone who may make a sandbox.
  const local = url?.protocol === "file:" && process.env.HANDRAIL_FILE_SOURCES === "1";
  if (!url || !(local || ["https:", "http:", "ssh:", "git:"].includes(url.protocol))) {
    throw new HandrailError("invalid_request", "source.git: give an https, ssh or git URL of a repository.");
  }
  const web = url.protocol.startsWith("http");
  if (url.search !== "" || url.hash !== "" || (url.password !== "" && !web)) {
    throw new HandrailError(
      "invalid_request",
      "source.git: give a token as https://USER:TOKEN@HOST/PATH, and nothing after ? or #.",
    );
  }
  const user = `${decoded(url.username)}:${decoded(url.password)}`;
  // A line break would start another field for git's credential helper.
  const secret = web && user !== ":" && !/[\n\r\0]/.test(user);
  // The user of an ssh address is part of it.
  if (web) url.username = "";
  url.password = "";
  return {
    url: url.href,
    token: secret ? user : undefined,
    name: nameOf(decoded(url.pathname)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function nameOf(path: string): string {
  const last = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return last.replace(/\.git$/, "") || "repository";
}
