// One key means one call: repeating, following and refusing it.
import { beforeAll, expect, test } from "vitest";
import { codeOf, type SandboxClient } from "../sandbox-client.ts";

export function describeKeys(target: () => SandboxClient): void {
  let client: SandboxClient;

  beforeAll(() => {
    client = target();
  });

  const counting = { op: "exec", args: { command: "echo run >> runs.txt; wc -l < runs.txt" } } as const;
  const runs = async (id: string) => await client.call(id, "read", { path: "runs.txt" });

  test("a call sent again returns its stored result and does not run again", async () => {
    const { id } = await client.create({ source: { sample: true } });
    const send = () => client.results(id, { access: "write", calls: [{ key: "k", ...counting }] });
    const [first] = await send();
    const [second] = await send();
    expect(first?.replayed).toBe(false);
    expect(second).toEqual({ ...first, replayed: true });
  });

  test("the order of arguments does not make a different call", async () => {
    const { id } = await client.create({ source: { sample: true } });
    const send = (args: Record<string, unknown>) =>
      client.results(id, { calls: [{ key: "k", op: "read", args }] });
    const [first] = await send({ path: "README.md", start: 1 });
    const [second] = await send({ start: 1, path: "README.md" });
    expect(second).toEqual({ ...first, replayed: true });
  });

  test("a key that belongs to another call refuses the whole request before anything runs", async () => {
    const { id } = await client.create({ source: { sample: true } });
    await client.results(id, { access: "write", calls: [{ key: "k", ...counting }] });
    const refused = await client.post(`/sandboxes/${id}/calls`, {
      access: "write",
      turn: { id: "t", epoch: 1, round: 0, record: [{ id: 1, event: "message", data: {} }] },
      calls: [
        { key: "fresh", ...counting },
        { key: "k", op: "exec", args: { command: "true" } },
      ],
    });
    expect([refused.status, codeOf(refused)]).toEqual([422, "key_reused"]);
    expect((await runs(id)).value).toMatchObject({ total: 1 });
    expect((await client.get(`/sandboxes/${id}/turns/t`)).status).toBe(404);
  });

  test("fifty concurrent requests run a call once and all get its result", async () => {
    const { id } = await client.create({ source: { sample: true } });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        client.results(id, { access: "write", calls: [{ key: "once", ...counting }] }),
      ),
    );
    const results = answers.flat();
    expect(new Set(results.map(({ value, at }) => JSON.stringify([value, at]))).size).toBe(1);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await runs(id)).value).toMatchObject({ total: 1 });
  });

  test("refusals are not stored: the same key may run later", async () => {
    const { id } = await client.create({ source: { sample: true } });
    const call = {
      key: "later",
      op: "change",
      args: { files: [{ path: "a.txt", content: "a\n", base: null }] },
    } as const;
    const [refused] = await client.results(id, { access: "readonly", calls: [call] });
    const [done] = await client.results(id, { access: "write", calls: [call] });
    expect([refused?.error?.code, done?.ok, done?.replayed]).toEqual(["readonly", true, false]);
  });
}
