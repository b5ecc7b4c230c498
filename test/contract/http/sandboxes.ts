import { describe, expect, test } from "vitest";
import { SandboxAnswer, Tree } from "../../../shared/api.ts";
import type { Target } from "../../harness/sse.ts";
import { ask, post } from "./request.ts";
import type { GetTarget } from "./target.ts";

async function newSandbox(target: Target): Promise<string> {
  const { status, json } = await ask(target, "/api/sandboxes", post({ source: { sample: true } }));
  expect(status).toBe(201);
  return SandboxAnswer.parse(json).sandboxId;
}

async function firstFile(target: Target, id: string): Promise<string> {
  const { json } = await ask(target, `/api/sandboxes/${id}/tree?depth=2`);
  const file = Tree.parse(json).entries.find((entry) => entry.type === "file" && entry.size > 0);
  if (!file) throw new Error("the sample project has no file");
  return file.path;
}

export function describeSandboxes(target: GetTarget): void {
  describe("sandboxes", () => {
    test("one is created, inspected and removed", async () => {
      const id = await newSandbox(target());
      const seen = await ask(target(), `/api/sandboxes/${id}`);
      expect(SandboxAnswer.parse(seen.json)).toMatchObject({ sandboxId: id, state: "ready" });
      expect((await ask(target(), `/api/sandboxes/${id}`, { method: "DELETE" })).status).toBe(204);
      expect((await ask(target(), `/api/sandboxes/${id}`)).status).toBe(404);
    });

    test("an empty body creates one from the server's default source", async () => {
      const { status, json } = await ask(target(), "/api/sandboxes", { method: "POST" });
      expect(status).toBe(201);
      expect(SandboxAnswer.parse(json).state).toBe("ready");
    });

    test("two have different ids, and neither answer names a host path", async () => {
      const answers = await Promise.all(
        [0, 1].map(() => ask(target(), "/api/sandboxes", post({ source: { sample: true } }))),
      );
      const ids = answers.map(({ json }) => SandboxAnswer.parse(json).sandboxId);
      expect(new Set(ids).size).toBe(2);
      for (const { text } of answers) expect(text).not.toMatch(/\/(tmp|home|root|Users|var)\//);
    });

    test("its commands may reach one more host, which it lists until that is revoked", async () => {
      const made = await ask(
        target(),
        "/api/sandboxes",
        post({ source: { sample: true }, network: "registries" }),
      );
      const { sandboxId: id, network } = SandboxAnswer.parse(made.json);
      expect(network).toBe("registries");
      const path = `/api/sandboxes/${id}/hosts`;
      const once = { host: "example.com:8443", scope: "once" };
      const session = { host: "xn--bcher-kva.example", scope: "session" };
      expect((await ask(target(), path, post(once))).json).toEqual({ hosts: [once] });
      // This is the same host in another spelling.
      const { json } = await ask(
        target(),
        path,
        post({ host: "B\u00fccher.example.:443", scope: "session" }),
      );
      expect(json).toEqual({ hosts: [once, session] });
      // Repeating the request makes no difference.
      await ask(target(), path, post({ ...session, scope: "once" }));
      const { hosts } = SandboxAnswer.parse((await ask(target(), `/api/sandboxes/${id}`)).json);
      expect(hosts).toEqual([once, session]);
      expect((await ask(target(), path, { method: "DELETE" })).status).toBe(204);
      expect(SandboxAnswer.parse((await ask(target(), `/api/sandboxes/${id}`)).json).hosts).toEqual([]);
    });

    test.each([
      [{ host: "*.example.com", scope: "once" }, 400],
      [{ host: "https://example.com/", scope: "once" }, 400],
      [{ host: "example.com/x", scope: "once" }, 400],
      [{ host: "user@example.com", scope: "once" }, 400],
      [{ host: "example.com:0", scope: "once" }, 400],
      [{ host: "", scope: "once" }, 400],
      [{ host: "example.com", scope: "always" }, 400],
      [{ host: "example.com" }, 400],
      [{ host: "example.com", scope: "once", port: 22 }, 400],
      [{ host: "127.0.0.1", scope: "session" }, 403],
      [{ host: "2130706433", scope: "session" }, 403],
      [{ host: "[::ffff:169.254.169.254]", scope: "session" }, 403],
      [{ host: "localhost", scope: "session" }, 403],
      [{ host: "metadata.google.internal", scope: "session" }, 403],
    ])("a host like %j is not allowed: %d", async (body, status) => {
      const made = await ask(
        target(),
        "/api/sandboxes",
        post({ source: { sample: true }, network: "registries" }),
      );
      const { sandboxId: id } = SandboxAnswer.parse(made.json);
      expect((await ask(target(), `/api/sandboxes/${id}/hosts`, post(body))).status).toBe(status);
      expect(SandboxAnswer.parse((await ask(target(), `/api/sandboxes/${id}`)).json).hosts).toEqual([]);
    });

    test("no host can be allowed where its network is another, and only the three networks are accepted", async () => {
      const id = await newSandbox(target());
      const { status } = await ask(
        target(),
        `/api/sandboxes/${id}/hosts`,
        post({ host: "example.com", scope: "once" }),
      );
      expect(status).toBe(501);
      const some = await ask(target(), "/api/sandboxes", post({ network: "host" }));
      expect(some.status).toBe(400);
    });

    test("its tree lists files down to the requested depth", async () => {
      const id = await newSandbox(target());
      const { status, json } = await ask(target(), `/api/sandboxes/${id}/tree?depth=1`);
      expect(status).toBe(200);
      const { entries } = Tree.parse(json);
      expect(entries.length).toBeGreaterThan(0);
      expect(entries.filter(({ path }) => path.replace(/\/$/, "").includes("/"))).toEqual([]);
    });

    test("a file comes with its bytes and version, as a whole or as a range", async () => {
      const id = await newSandbox(target());
      const path = `/api/sandboxes/${id}/file?path=${encodeURIComponent(await firstFile(target(), id))}`;
      const whole = await ask(target(), path);
      expect(whole.status).toBe(200);
      expect(whole.headers.get("etag")).toMatch(/^"sha256:[0-9a-f]{64}"$/);
      const part = await ask(target(), path, { headers: { range: "bytes=0-3" } });
      expect(part.status).toBe(206);
      expect(part.text).toBe(whole.text.slice(0, 4));
    });

    test("a fresh one has an empty diff", async () => {
      const id = await newSandbox(target());
      const { status, text, headers } = await ask(target(), `/api/sandboxes/${id}/diff`);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toContain("text/x-diff");
      expect(text).toBe("");
      expect((await ask(target(), `/api/sandboxes/${id}/diff?all=1`)).text).toBe("");
      const none = { own: "", others: "", truncated: false, mixed: [], commits: [] };
      expect((await ask(target(), `/api/sandboxes/${id}/changes`)).json).toEqual(none);
    });

    test.each([
      ["file?path=..%2F..%2Fetc%2Fpasswd", 403],
      ["file?path=%2Fetc%2Fpasswd", 403],
      ["file?path=no-such-file", 404],
      ["file", 400],
      ["file?path=a&paht=b", 400],
      ["tree?depth=0", 400],
      ["tree?depth=x", 400],
      ["tree?path=..", 403],
      ["diff?all=yes", 400],
    ])("GET …/%s is refused with %i", async (query, expected) => {
      const id = await newSandbox(target());
      const { status, json } = await ask(target(), `/api/sandboxes/${id}/${query}`);
      expect(status).toBe(expected);
      expect(json).toMatchObject({ error: { message: expect.stringMatching(/\S/) } });
    });

    test("one that does not exist is not_found on every route", async () => {
      for (const path of ["", "/tree", "/diff", "/changes", "/file?path=a", "/archive"]) {
        const { status, json } = await ask(target(), `/api/sandboxes/nobody-made-this${path}`);
        expect([path, status]).toEqual([path, 404]);
        expect(json).toMatchObject({ error: { code: "not_found" } });
      }
    });

    test("an id that could be a path is refused", async () => {
      expect((await ask(target(), "/api/sandboxes/a%2F..%2Fb")).status).toBe(400);
    });

    test("one file is reverted while it is still what was seen, and refused once it has changed", async () => {
      const id = await newSandbox(target());
      const path = await firstFile(target(), id);
      const file = `/api/sandboxes/${id}/file?path=${encodeURIComponent(path)}`;
      const restore = (body: object) =>
        ask(target(), `/api/sandboxes/${id}/restore`, post({ snapshot: "start", path, ...body }));
      const { text: before } = await ask(target(), file);
      const gone = await restore({ seen: "0000000" });
      expect([gone.status, gone.json]).toMatchObject([412, { error: { code: "stale_file" } }]);
      expect((await restore({})).json).toMatchObject({ error: { message: expect.stringContaining("seen") } });
      expect((await ask(target(), file)).text).toBe(before);
    });

    test("a snapshot of the files can be restored, and has the same id where nothing changed", async () => {
      const id = await newSandbox(target());
      const take = () => ask(target(), `/api/sandboxes/${id}/snapshot`, post({}));
      const first = await take();
      expect([first.status, first.json]).toMatchObject([
        200,
        { snapshot: expect.stringMatching(/^[0-9a-f]+$/) },
      ]);
      expect((await take()).json).toEqual(first.json);
      const back = await ask(target(), `/api/sandboxes/${id}/restore`, post(first.json));
      expect([back.status, back.json]).toMatchObject([200, first.json]);
    });

    test("a restore without a snapshot names the field", async () => {
      const id = await newSandbox(target());
      const { status, json } = await ask(target(), `/api/sandboxes/${id}/restore`, post({}));
      expect(status).toBe(400);
      expect(json).toMatchObject({ error: { message: expect.stringContaining("body.snapshot") } });
    });
  });
}
