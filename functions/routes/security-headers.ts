// The headers that keep a page and an answer to themselves. One home for the content security policy.

/** Nothing from elsewhere, no inline script. Inline style attributes: a transcript of 10,000 rows places its rows by them. */
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
} as const;

/** For the page and its assets. Camera: to scan the pairing code; microphone: to speak instead of typing. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": pagePolicy,
  "permissions-policy": "camera=(self), microphone=(self), geolocation=()",
  "x-frame-options": "DENY",
};

/** For answers of /api: data, never a document, whatever a file of a repository pretends to be. */
export const apiHeaders: Readonly<Record<string, string>> = {
  ...common,
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cache-control": "no-store",
};
