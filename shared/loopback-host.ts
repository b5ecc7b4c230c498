// Tells whether an address can be reached only from this machine.

/** `host`: a name, or an address without brackets, as sockets and settings write it. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || /^(::ffff:)?127\./.test(host);
}
