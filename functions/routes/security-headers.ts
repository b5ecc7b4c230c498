// Security headers of the page and of /api, including the content security policy.

/**
 * Allows nothing from other origins, and no inline script. Inline style attributes are allowed, because they position
 * the rows of a long transcript.
 */
const pagePolicy = [
  "default-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const common = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // On plain http, some browsers look up the hosts of links before a tap, and a model chooses these names.
  "x-dns-prefetch-control": "off",
} as const;

/** For the page and its assets. The camera is for scanning the pairing code, the microphone for dictation. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": pagePolicy,
  "permissions-policy": "camera=(self), microphone=(self), geolocation=()",
  "x-frame-options": "DENY",
};

/** For responses of /api: always data and never a document, even if a file of a repository claims to be one. */
export const apiHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cache-control": "no-store",
};
