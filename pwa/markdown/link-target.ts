// Where a link leads, in words that its author does not choose. Pure.

/**
 * Shown beside the label: the host as the browser reads it (punycode, without a user name in front of it), the
 * address of a mail. Undefined where the label is the address and begins with just that host.
 */
export function linkTarget(href: string, label: string): string | undefined {
  const url = urlOf(href);
  if (url === undefined) return href;
  const { protocol, host, pathname } = url;
  if (protocol === "mailto:") return label === href || label === pathname ? undefined : pathname;
  const plain = `${protocol}//${host}`;
  const rest = label.slice(plain.length);
  const says = label === href && label.toLowerCase().startsWith(plain) && /^(?:[/?#]|$)/.test(rest);
  return says ? undefined : host;
}

function urlOf(href: string): URL | undefined {
  try {
    return new URL(href);
  } catch {
    return undefined;
  }
}
