// envd, the daemon in each E2B sandbox, writes files and runs commands. Files go over HTTP; processes use the
// Connect protocol in JSON (https://connectrpc.com/docs/protocol; github.com/e2b-dev/E2B, spec/envd).
import * as z from "zod/mini";
import { HandrailError } from "../../../shared/errors.ts";
import type { E2bApi, Started } from "./e2b-api.ts";

const envdPort = 49983;
/** The user of the templates. Files and processes belong to it. */
const user = "user";
/** Time for a file of 0.6 MB, and for the installation of Node. */
const answerMs = 180_000;
/**
 * Surrounds the output of a command, because a login shell's profile and logout file may print something too.
 */
const mark = "==handrail==";
/** The flag of the last message in a stream. */
const endOfStream = 2;

/** The JSON form of Protobuf omits zero and empty values. */
const EnvdMessage = z.object({
  event: z.optional(
    z.object({
      data: z.optional(z.object({ stdout: z.optional(z.string()) })),
      end: z.optional(z.object({ exitCode: z.optional(z.number()), status: z.optional(z.string()) })),
    }),
  ),
});
const ProcessEnd = z.object({
  error: z.optional(z.object({ code: z.string(), message: z.optional(z.string()) })),
});

export interface Envd {
  /** `path` is relative to the home folder. Missing folders are made. */
  put(path: string, content: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Runs a bash command and returns its output. Throws `sandbox_unreachable` if the exit code is not 0. */
  run(command: string, variables?: Record<string, string>): Promise<string>;
}

export function envdOf(fetch: typeof globalThis.fetch, api: E2bApi, started: Started): Envd {
  const { url, headers: route } = api.routeTo(started, envdPort);
  const headers = { ...route, "x-access-token": started.envdAccessToken ?? "" };

  async function post(path: string, body: BodyInit, more: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { ...headers, ...more },
      body,
      signal: AbortSignal.timeout(answerMs),
    }).catch((cause: unknown) => {
      throw unanswered("it does not answer", cause);
    });
    if (response.ok) return response;
    await response.body?.cancel();
    throw unanswered(`status ${response.status}`);
  }

  return {
    async put(path, content) {
      const form = new FormData();
      form.set("file", new Blob([content]), "file");
      const query = new URLSearchParams({ path, username: user });
      await (await post(`/files?${query}`, form)).arrayBuffer();
    },
    async run(command, envs = {}) {
      const request = {
        process: { cmd: "/bin/bash", args: ["-l", "-c", marked(command)], envs },
        stdin: false,
      };
      const response = await post("/process.Process/Start", envelope(request), {
        "content-type": "application/connect+json",
        "connect-protocol-version": "1",
        authorization: `Basic ${btoa(`${user}:`)}`,
      });
      const [, printed = ""] = outputOf(new Uint8Array(await response.arrayBuffer())).split(mark);
      return printed;
    },
  };
}

/** Runs the command in a subshell, so that its `exit` ends only that. */
function marked(command: string): string {
  return `printf ${mark}\n(${command}\n)\ncode=$?\nprintf ${mark}\nexit $code`;
}

function unanswered(problem: string, cause?: unknown): HandrailError {
  return new HandrailError("sandbox_unreachable", `The E2B sandbox could not be set up: ${problem}.`, {
    cause,
  });
}

/** One message: a byte of flags, four bytes of length, and JSON. */
function envelope(message: unknown): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(message));
  const framed = new Uint8Array(5 + json.length);
  new DataView(framed.buffer).setUint32(1, json.length);
  framed.set(json, 5);
  return framed;
}

/** Throws unless the stream reports that the process exited with 0. */
function outputOf(stream: Uint8Array): string {
  const decoder = new TextDecoder();
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  let stdout = "";
  let ended = false;
  for (let at = 0; at + 5 <= stream.length; ) {
    const flags = view.getUint8(at);
    const end = at + 5 + view.getUint32(at + 1);
    const json: unknown = JSON.parse(decoder.decode(stream.subarray(at + 5, end)));
    at = end;
    if (flags & endOfStream) {
      const { error } = z.parse(ProcessEnd, json);
      if (error) throw unanswered(`${error.code} ${error.message ?? ""}`.trim());
      continue;
    }
    const { event } = z.parse(EnvdMessage, json);
    stdout += event?.data?.stdout ? atob(event.data.stdout) : "";
    if (!event?.end) continue;
    ended = true;
    if (event.end.exitCode) throw unanswered(event.end.status ?? `exit ${event.end.exitCode}`);
  }
  if (!ended) throw unanswered("its answer broke off");
  return stdout;
}
