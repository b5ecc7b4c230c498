// envd, the daemon in each E2B sandbox, with the wire format of spec/envd in e2b-dev/E2B.
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import * as z from "zod/mini";
import type { PlayedGuest } from "./played-guest.ts";

const Start = z.object({
  process: z.object({
    cmd: z.literal("/bin/bash"),
    args: z.array(z.string()),
    envs: z.record(z.string(), z.string()),
  }),
});

/** Files over HTTP, processes over the Connect protocol in JSON. */
export async function answerAsEnvd(
  { guest, envdToken }: { guest: PlayedGuest; envdToken: string },
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://envd");
  const body = await buffer(incoming);
  if (incoming.headers["x-access-token"] !== envdToken) return refuse(response, 401, "unauthorized");
  if (pathname === "/files") {
    const type = incoming.headers["content-type"] ?? "";
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
    const file = form.get("file");
    if (!(file instanceof Blob)) return refuse(response, 400, "no file");
    await guest.put(searchParams.get("path") ?? "", new Uint8Array(await file.arrayBuffer()));
    return void response.end("[]");
  }
  if (
    pathname !== "/process.Process/Start" ||
    incoming.headers["content-type"] !== "application/connect+json"
  )
    return refuse(response, 404, "no such procedure");
  const { process: command } = z.parse(Start, JSON.parse(body.subarray(5).toString("utf8")));
  const { exitCode, stdout } = await guest.run(command);
  response.writeHead(200, { "content-type": "application/connect+json" });
  response.write(frame(0, { event: { start: { pid: 7 } } }));
  if (stdout.length > 0) response.write(frame(0, { event: { data: { stdout: stdout.toString("base64") } } }));
  const end = { ...(exitCode === 0 ? {} : { exitCode }), exited: true, status: `exit status ${exitCode}` };
  response.write(frame(0, { event: { end } }));
  response.end(frame(2, {}));
}
function frame(flags: number, message: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

export function refuse(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify({ code, message }));
}
