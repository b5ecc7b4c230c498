// Whether an address reaches this machine alone.

/** `host`: a name or an address without brackets, as a socket or a setting names it. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^(::ffff:)?127\./.test(host);
}
