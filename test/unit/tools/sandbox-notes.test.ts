import { expect, test } from "vitest";
import { failedForTheSandbox, networkFacts, sandboxNotes } from "../../../functions/calls/sandbox-notes.ts";
import type { ExecValue } from "../../../shared/sandbox.ts";

const failed = (stderr: string, held?: ExecValue["held"]): ExecValue => ({
  ...{ exitCode: 1, signal: null, timedOut: false, stdout: "", stderr, truncated: false },
  ...(held ? { held } : {}),
});
const unknownHost = "npm error code ENOTFOUND\ngetaddrinfo ENOTFOUND registry.npmjs.org";

test("a command that wanted a network is told that there is none, and who can open it", () => {
  const [note] = sandboxNotes(failed(unknownHost, { readonly: false, network: "none" }));
  expect(note).toMatch(/no network here.*the person can open it for this command/);
  expect(sandboxNotes(failed(unknownHost, { readonly: true, network: "none" }))[0]).toMatch(
    /in plan mode.*after the approval the person is asked/,
  );
  expect(sandboxNotes(failed(unknownHost, { readonly: true, network: "registries" }))[0]).toMatch(
    /After the approval they reach package registries/,
  );
});

test("a command that wrote where nothing can be written is told where it can", () => {
  const error = "OSError: [Errno 30] Read-only file system: '/workspace/.coverage'";
  expect(sandboxNotes(failed(error, { readonly: true, network: "none" }))).toEqual([
    expect.stringMatching(/plan mode.*\/tmp/),
  ]);
  expect(sandboxNotes(failed(error, { readonly: false, network: "none" }))).toEqual([
    expect.stringMatching(/only the workspace, \/tmp/),
  ]);
});

test("a folder that could not be created counts as one in plan mode, where Node gives no reason", () => {
  const error = "Error: ENOENT: no such file or directory, mkdir '/workspace/node_modules/.cache/ava'";
  expect(sandboxNotes(failed(error, { readonly: true, network: "none" }))).toEqual([
    expect.stringMatching(/plan mode.*read-only/),
  ]);
  expect(sandboxNotes(failed(error, { readonly: false, network: "none" }))).toEqual([]);
});

test("other failures, and sandboxes with a network, get no such note", () => {
  expect(sandboxNotes(failed("1 test failed", { readonly: true, network: "none" }))).toEqual([]);
  expect(sandboxNotes(failed(unknownHost, { readonly: false, network: "full" }))).toEqual([]);
  expect(sandboxNotes(failed(unknownHost))).toEqual([]);
});

test("what lacked the network can be opened on its card, unless the person keeps it closed or nothing can open it", () => {
  const facts = (held?: ExecValue["held"], stderr = unknownHost) => networkFacts(failed(stderr, held));
  expect(facts({ readonly: false, network: "none" })).toEqual({ needsNetwork: true });
  for (const held of [
    undefined,
    { readonly: true, network: "none" },
    { readonly: false, network: "registries" },
    { readonly: false, network: "none", never: true },
  ] as const)
    expect(facts(held)).toEqual({});
  expect(facts({ readonly: false, network: "none" }, "1 test failed")).toEqual({});
  const refusedHosts = [{ host: "a.example", reason: "not_allowed" as const }];
  expect(networkFacts({ ...failed("x"), refusedHosts })).toEqual({ refusedHosts });
});

test("a network that the person keeps closed is not to be requested again", () => {
  const [note] = sandboxNotes(failed(unknownHost, { readonly: false, network: "none", never: true }));
  expect(note).toMatch(/keeps it closed/);
  expect(note).not.toMatch(/can open it/);
});

test.each([
  ["getaddrinfo EAI_AGAIN pypi.org", true],
  ["EROFS: read-only file system, open 'x'", true],
  ["ENOENT: no such file or directory, mkdir '/x'", true],
  ["ENOENT: no such file or directory, open '/x'", false],
  ["1 test failed", false],
])("whether %j may be caused by the sandbox: %s", (stderr, is) => {
  expect(failedForTheSandbox(failed(stderr))).toBe(is);
});

test("each refused host is reported with its own reason, and no reason without a host", () => {
  const refusedHosts = (["not_allowed", "private_address", "another_name"] as const).map((reason) => ({
    ...{ host: `${reason}.example`, reason },
  }));
  const notes = sandboxNotes({ ...failed("x"), refusedHosts });
  expect(notes.map((note) => note.match(/\w+\.example/g))).toEqual(refusedHosts.map(({ host }) => [host]));
  expect(sandboxNotes({ ...failed("x"), refusedHosts: refusedHosts.slice(1, 2) })).toHaveLength(1);
  expect(sandboxNotes({ ...failed("x"), refusedHosts: [] })).toEqual([]);
});
