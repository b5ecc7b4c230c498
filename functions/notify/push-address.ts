// The push services that may be called. A subscription names its own address, so without this check anyone who may
// start a turn could make the server call any machine.
import { HandrailError } from "../../shared/errors.ts";

/**
 * Hosts of the browsers' push services. Sources (read 2026-11): Chrome and Edge on Android
 * https://firebase.google.com/docs/cloud-messaging, Firefox https://mozilla-services.github.io/autopush-rs/, Safari
 * https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers,
 * Edge on Windows https://learn.microsoft.com/windows/apps/develop/notifications/push-notifications/wns-overview.
 */
const pushServices =
  /^(?:fcm\.googleapis\.com|(?:[a-z0-9-]+\.)*push\.services\.mozilla\.com|(?:[a-z0-9-]+\.)*push\.apple\.com|(?:[a-z0-9-]+\.)*notify\.windows\.com)$/;

/** `origins`: HANDRAIL_PUSH_ORIGINS. Throws `invalid_request` with a sentence for every other address. */
export function checkedEndpoint(endpoint: string, origins: readonly string[]): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || url.username || url.password)
    throw refused("subscription.endpoint: must be a URL without a login.");
  if (origins.includes(url.origin)) return url;
  if (url.protocol === "https:" && url.port === "" && pushServices.test(url.hostname)) return url;
  throw refused(
    `subscription.endpoint: ${url.host} is none of the known push services. To allow it, set HANDRAIL_PUSH_ORIGINS=${url.origin} on the server.`,
  );
}

function refused(message: string): HandrailError {
  return new HandrailError("invalid_request", message);
}
