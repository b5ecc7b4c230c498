// A request is for the remote that the person saw, which a token is meant for: not for where a sandbox's remote leads by now.
import type { Context } from "hono";
import type { GitRemote } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";

/**
 * `X-Git-Remote` is `HOST/OWNER/NAME`, as `encodeURI` writes it. Throws `invalid_request` if it is another repository,
 * and without it where the server's own credentials would go along: a command may have set the remote.
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
