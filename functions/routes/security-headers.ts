// Security headers of the page and of /api, with the one content security policy.

/** Nothing from other origins, no inline script. Inline style attributes are allowed: they place the rows of a long transcript. */
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

/** For the page and its assets. Camera: to scan the pairing code; microphone: to speak instead of typing. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": pagePolicy,
  "permissions-policy": "camera=(self), microphone=(self), geolocation=()",
  "x-frame-options": "DENY",
};

/** For answers of /api: always data, never a document, even where a file of a repository claims to be one. */
export const apiHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cache-control": "no-store",
};
