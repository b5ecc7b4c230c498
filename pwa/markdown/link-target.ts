// Describes where a link leads in words that its author cannot choose. Pure.

/**
 * Returns what is shown next to the label: the host as the browser parses it (in punycode, without a user name), or all
 * recipients of a mail. Undefined if the label is the address itself and begins with exactly that host.
 */
export function linkTarget(href: string, label: string): string | undefined {
  const url = urlOf(href);
  if (url === undefined) return href;
  const { protocol, host } = url;
  if (protocol === "mailto:") {
    const recipients = recipientsOf(url);
    return label === href || label === recipients ? undefined : recipients;
  }
  const plain = `${protocol}//${host}`;
  const rest = label.slice(plain.length);
  const says = label === href && label.toLowerCase().startsWith(plain) && /^(?:[/?#]|$)/.test(rest);
  return says ? undefined : host;
}

/** RFC 6068: a mail is sent to the addresses before the question mark, and to those that the fields name. */
function recipientsOf({ pathname, searchParams }: URL): string {
  const fields = [...searchParams].filter(([name]) => /^(?:to|cc|bcc)$/i.test(name));
  return [pathname, ...fields.map(([, value]) => value)].filter((each) => each !== "").join(", ");
}

function urlOf(href: string): URL | undefined {
  try {
    return new URL(href);
  } catch {
    return undefined;
  }
}
