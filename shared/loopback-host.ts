// Whether an address can be reached from this machine only.

/** `host`: a name, or an address without brackets, as sockets and settings write it. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^(::ffff:)?127\./.test(host);
}
