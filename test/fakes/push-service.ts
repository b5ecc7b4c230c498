// A push service like those of browsers (RFC 8030). It checks the sender (RFC 8292), decrypts as the browser
// would (RFC 8291), and refuses as the real ones do when told to.
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { PushSubscriptionInfo } from "../../shared/push.ts";

export interface Delivered {
  headers: IncomingHttpHeaders;
  /** The server's claims about itself. */
  claims: { aud: string; exp: number; sub: string };
  text: string;
}

/** `hang`: it does not answer. */
export type PushAnswer = { status: number; headers?: Record<string, string> } | "hang";

export interface PushService {
  origin: string;
  /** A browser's subscription here, with its own keys. */
  subscription: PushSubscriptionInfo;
  /** Every accepted message. */
  delivered: Delivered[];
  /** How many requests arrived, accepted or not. */
  requests(): number;
  /** Resolves with the oldest message that was not returned yet, or with the next one. */
  next(): Promise<Delivered>;
  /** The answer from now on; undefined = 201. */
  answer(with_?: PushAnswer): void;
  close(): Promise<void>;
}

/** `publicKey`: the key of the server that may send, as in the subscription's `applicationServerKey`. */
export async function startPushService(publicKey: string): Promise<PushService> {
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const secret = randomBytes(16);
  const delivered: Delivered[] = [];
  const waiting: ((message: Delivered) => void)[] = [];
  let [taken, requests] = [0, 0];
  let chosen: PushAnswer | undefined;
  const server = createServer((request, response) => {
    requests += 1;
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (chosen === "hang") return;
      const problem = chosen ? undefined : take(Buffer.concat(parts), request.headers);
      const { status, headers } = chosen ?? { status: problem ? 400 : 201 };
      response.writeHead(status, headers).end(problem);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** The reason for which a push service or the browser would refuse the message, in words. */
  function take(body: Buffer, headers: IncomingHttpHeaders): string | undefined {
    if (headers["content-encoding"] !== "aes128gcm") return "content-encoding";
    if (!headers.ttl) return "ttl";
    if (body.length > 4_096) return "size";
    const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? "") ?? [];
    if (key !== publicKey) return "key";
    const claims = claimsOf(token, key);
    if (typeof claims === "string") return claims;
    if (claims.aud !== origin) return "aud";
    if (claims.exp * 1_000 < Date.now() || claims.exp * 1_000 > Date.now() + 24 * 3_600_000) return "exp";
    if (!/^(mailto:|https:)/.test(claims.sub)) return "sub";
    const message = { headers, claims, text: decrypted(body, browser, secret) };
    delivered.push(message);
    const next = waiting.shift();
    if (next) {
      taken += 1;
      next(message);
    }
    return undefined;
  }

  return {
    origin,
    subscription: {
      endpoint: `${origin}/push/one`,
      keys: { p256dh: browser.getPublicKey("base64url"), auth: secret.toString("base64url") },
    },
    delivered,
    requests: () => requests,
    next() {
      const message = delivered[taken];
      if (!message) return new Promise((resolve) => waiting.push(resolve));
      taken += 1;
      return Promise.resolve(message);
    },
    answer(with_) {
      chosen = with_;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** RFC 7515 with ES256. Returns the claims, or what is wrong. */
function claimsOf(token: string, key: string): Delivered["claims"] | string {
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = Buffer.from(key, "base64url");
  const publicKey = createPublicKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
  });
  const signed = Buffer.from(`${head}.${claims}`);
  const isValid = verify(
    "sha256",
    signed,
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  return isValid ? JSON.parse(Buffer.from(claims, "base64url").toString()) : "signature";
}

/** RFC 8188 with the keys of RFC 8291, 3.4, in one record. */
function decrypted(body: Buffer, browser: ReturnType<typeof createECDH>, secret: Buffer): string {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + body.readUInt8(20));
  const shared = browser.computeSecret(sender);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), sender]);
  const input = Buffer.from(hkdfSync("sha256", shared, secret, info, 32));
  const key = Buffer.from(hkdfSync("sha256", input, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", input, salt, "Content-Encoding: nonce\0", 12));
  const record = body.subarray(21 + sender.length);
  const opened = createDecipheriv("aes-128-gcm", key, nonce);
  opened.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([opened.update(record.subarray(0, -16)), opened.final()]);
  // The last record ends with a 2 and zeros.
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}
