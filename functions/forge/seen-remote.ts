// A request is for the remote that the person saw, which a token is meant for: not for where a sandbox's remote leads by now.
import type { Context } from "hono";
import type { GitRemote } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";

/** `X-Git-Remote` is `HOST/OWNER/NAME`, as `encodeURI` writes it. Throws `invalid_request` where it is another repository. */
export function mustBeSeen(c: Context, { host, owner, name }: GitRemote): void {
  const seen = c.req.header("x-git-remote");
  if (seen === undefined || seen === encodeURI(`${host}/${owner}/${name}`)) return;
  throw new HandrailError(
    "invalid_request",
    `The remote is ${host}/${owner}/${name} by now. Nothing was done; look at it again.`,
  );
}
