// A request is for the remote that the person saw and that the token is meant for, even if the sandbox's remote has
// changed since.
import type { Context } from "hono";
import type { GitRemote } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";

/**
 * `X-Git-Remote` is `HOST/OWNER/NAME`, as `encodeURI` writes it. Throws `invalid_request` if it is a different
 * repository, or if it is absent and the server's own credentials would be sent: a command may have set the remote.
 */
export function mustBeSeen(c: Context, { host, owner, name }: GitRemote): void {
  const seen = c.req.header("x-git-remote");
  const there = `${host}/${owner}/${name}`;
  if (seen === encodeURI(there) || (seen === undefined && c.req.header("x-git-token"))) return;
  throw new HandrailError(
    "invalid_request",
    seen === undefined
      ? "X-Git-Remote: missing. Without a token it has to name the remote."
      : `The remote is ${there} by now. Nothing was done; look at it again.`,
  );
}
