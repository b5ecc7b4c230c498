// Requests and calls that the sandbox server refuses before it does anything, each with its reason.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { ErrorBody } from "../../shared/errors.ts";
import type { OpName } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let id: string;

beforeAll(async () => {
  const workspace = await freshFolder("workspace");
  execFileSync("git", ["init", "-q", workspace]);
  writeFileSync(join(workspace, "ten.txt"), "0123456789");
  execFileSync("truncate", ["-s", "65M", join(workspace, "large.bin")]);
  server = await RunningServer.start({ workspace, env: { HANDRAIL_NETWORK: "registries" } });
  ({ id } = await server.client.create());
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const long = "x".repeat(100 * 1024 + 1);

test.each<[string, OpName, Record<string, unknown>, string, RegExp]>([
  ["a command with a NUL", "exec", { command: "echo a\0b" }, "invalid_request", /holds a NUL/],
  ["a command that no shell would take", "exec", { command: long }, "too_large", /Write a script file/],
  [
    "a variable whose name is a command",
    "exec",
    { command: "true", env: { "A;B": "x" } },
    "invalid_request",
    /^env:/,
  ],
  ["a variable with a NUL", "exec", { command: "true", env: { A: "x\0" } }, "invalid_request", /^env:/],
  [
    "a background command on a copy",
    "exec",
    { command: "true", background: true, tree: "0".repeat(40) },
    "invalid_request",
    /not together with tree/,
  ],
  [
    "a log since a snapshot",
    "git",
    { verb: "log", since: "start" },
    "invalid_request",
    /only `diff` compares/,
  ],
  [
    "a commit without a message",
    "git",
    { verb: "commit", message: " \n" },
    "invalid_request",
    /^message: missing/,
  ],
  ["a revision that is an option", "git", { verb: "log", rev: "--output=x" }, "invalid_request", /^rev:/],
  ["an empty search", "search", { pattern: "" }, "invalid_request", /^pattern: empty/],
  ["a search for a NUL", "search", { pattern: "a\0" }, "invalid_request", /holds a NUL/],
  ["lines after the last", "read", { path: "ten.txt", start: 5 }, "invalid_request", /has 1 lines/],
  ["lines backwards", "read", { path: "ten.txt", start: 5, end: 2 }, "invalid_request", /is before start/],
  [
    "the restore of a file that nobody saw",
    "restore",
    { snapshot: "start", path: "ten.txt" },
    "invalid_request",
    /only with both/,
  ],
  [
    "the restore of a hunk without its file",
    "restore",
    { snapshot: "start", seen: "0".repeat(7), hunk: 1 },
    "invalid_request",
    /only with both/,
  ],
])("%s", async (_, op, args, code, message) => {
  expect(await server.client.failure(id, op, args)).toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

const refused: [
  name: string,
  method: string,
  path: string,
  body: object | undefined,
  status: number,
  words: RegExp,
][] = [
  ["a file without a path", "GET", "/file", undefined, 400, /^path: missing/],
  ["a file of no path", "GET", "/file?path=", undefined, 400, /^path: missing/],
  ["a file by its absolute path", "GET", "/file?path=/ten.txt", undefined, 403, /is absolute/],
  ["a file whose path has a NUL", "GET", "/file?path=ten.txt%00", undefined, 403, /holds a NUL/],
  ["a file too large for one answer", "GET", "/file?path=large.bin", undefined, 413, /with Range/],
  ["a place that is no number", "GET", "/turns/t1?from=-1", undefined, 400, /^from: must be a whole number/],
  ["a number beyond all", "GET", `/turns/t1?from=${"9".repeat(16)}`, undefined, 400, /^from: must be/],
  ["a turn whose id is a path", "GET", "/turns/..%2Fx", undefined, 400, /^turnId:/],
  ["a grant that was never given", "DELETE", "/grants/none", undefined, 404, /no such grant/],
  ["an archive that may only be read", "PUT", "/archive?access=readonly", undefined, 403, /may only read/],
  ["a network that is open already", "POST", "/network", { scope: "session" }, 501, /has the network/],
  [
    "work from a worktree that there is none of",
    "POST",
    "/bring-back",
    { how: "merge" },
    400,
    /no worktree of its own/,
  ],
];

describe("a request for", () => {
  test.each(refused)("%s is refused", async (_, method, path, body, status, words) => {
    const answer = await server.client.fetch(`/sandboxes/${id}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { error } = z.parse(ErrorBody, await answer.json());
    expect([answer.status, error.message]).toEqual([status, expect.stringMatching(words)]);
  });
});

test.each([
  ["bytes=-4", 206, "6789", "bytes 6-9/10"],
  ["bytes=-400", 206, "0123456789", "bytes 0-9/10"],
  ["bytes=8-400", 206, "89", "bytes 8-9/10"],
  ["bytes=-0", 416, undefined, "bytes */10"],
  ["bytes=10-", 416, undefined, "bytes */10"],
  ["bytes=-", 200, "0123456789", null],
  ["bytes=5-2", 200, "0123456789", null],
  ["lines=1-2", 200, "0123456789", null],
])("the range %s of a file", async (range, status, text, part) => {
  const answer = await server.client.fetch(`/sandboxes/${id}/file?path=ten.txt`, { headers: { range } });
  expect([answer.status, answer.headers.get("content-range")]).toEqual([status, part]);
  if (text !== undefined) expect(await answer.text()).toBe(text);
});

test.each([
  ["a caller's own, to find the request again", "phone-1.a_b", true],
  ["ours where the caller's is no plain word", "<b>x</b>", false],
  ["ours where the caller's is long", "x".repeat(101), false],
])("an error has the id of its request: %s", async (_, given, taken) => {
  const answer = await server.client.fetch(`/sandboxes/${id}/file`, { headers: { "x-request-id": given } });
  const { error } = z.parse(ErrorBody, await answer.json());
  expect([error.requestId, answer.headers.get("x-request-id")]).toEqual(
    taken ? [given, given] : Array(2).fill(expect.stringMatching(/^[\w-]{8,}$/)),
  );
});
