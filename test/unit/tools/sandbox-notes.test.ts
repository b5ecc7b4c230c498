import { expect, test } from "vitest";
import { sandboxNotes } from "../../../functions/calls/sandbox-notes.ts";
import type { ExecValue } from "../../../shared/sandbox.ts";

const failed = (stderr: string, held?: ExecValue["held"]): ExecValue => ({
  ...{ exitCode: 1, signal: null, timedOut: false, stdout: "", stderr, truncated: false },
  ...(held ? { held } : {}),
});
const unknownHost = "npm error code ENOTFOUND\ngetaddrinfo ENOTFOUND registry.npmjs.org";

test("a command that wanted a network is told that there is none, and who can open one", () => {
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

test("a folder that could not be made counts as one in plan mode, where Node names no reason", () => {
  const error = "Error: ENOENT: no such file or directory, mkdir '/workspace/node_modules/.cache/ava'";
  expect(sandboxNotes(failed(error, { readonly: true, network: "none" }))).toEqual([
    expect.stringMatching(/plan mode.*read-only/),
  ]);
  expect(sandboxNotes(failed(error, { readonly: false, network: "none" }))).toEqual([]);
});

test("other failures, and sandboxes with a network, get no such words", () => {
  expect(sandboxNotes(failed("1 test failed", { readonly: true, network: "none" }))).toEqual([]);
  expect(sandboxNotes(failed(unknownHost, { readonly: false, network: "full" }))).toEqual([]);
  expect(sandboxNotes(failed(unknownHost))).toEqual([]);
});
