// A fake identity proxy: a real key pair whose public half is served over HTTP, and assertions signed like
// those of Cloudflare Access.
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface IdentityProxy {
  /** Its origin, which is the issuer of its assertions. */
  url: string;
  /** A token with a valid header and claims, which the parameters override. */
  assertion(claims?: object, header?: object): string;
  /** How often its keys were requested. */
  asked(): number;
  /** Uses other keys from now on. */
  rotate(): void;
  close(): void;
}

export const audience = "4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2";

export async function startIdentityProxy(): Promise<IdentityProxy> {
  let pair = makePair(1);
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    response.statusCode = request.url === "/cdn-cgi/access/certs" ? 200 : 404;
    response.end(JSON.stringify({ keys: [pair.published], public_certs: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    assertion(claims = {}, header = {}) {
      const seconds = Math.floor(Date.now() / 1000);
      const payload = { iss: url, aud: [audience], exp: seconds + 300, nbf: seconds - 5, ...claims };
      const signed = [{ alg: "RS256", kid: pair.published.kid, ...header }, payload].map(encode).join(".");
      return `${signed}.${sign("sha256", Buffer.from(signed), pair.privateKey).toString("base64url")}`;
    },
    asked: () => asked,
    rotate: () => {
      pair = makePair(2);
    },
    close: () => void server.close(),
  };
}

function makePair(number: number) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: "jwk" });
  return { privateKey, published: { kid: `key-${number}`, kty: "RSA", alg: "RS256", use: "sig", n, e } };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
