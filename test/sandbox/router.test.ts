// Which route answers a request, and what its handler gets of the path and the query.
import { expect, test } from "vitest";
import { noContent, Router } from "../../sandbox/routes/router.ts";

const router = new Router();
router.get("/v1/things/:id", async (c) => Response.json([c.param("id"), c.query("q") ?? null, c.requestId]));
router.get("/v1/things/:id/parts/:part", async (c) => Response.json([c.param("id"), c.param("part")]));
router.get("/v1/things/special", async () => Response.json("never"));
let cancelled = 0;
router.get("/v1/stream", async () => {
  const cancel = () => {
    cancelled += 1;
  };
  return new Response(new ReadableStream({ cancel }));
});
router.delete("/v1/things/:id", async () => noContent());

const ask = async (path: string, method = "GET") => {
  const answer = await router.answer(new Request(`http://localhost${path}`, { method }), "r1");
  return answer && [answer.status, await answer.text()];
};

test("the first matching route answers, with the parts of the path and the query decoded", async () => {
  expect(await ask("/v1/things/a?q=x+y%26&q=z")).toEqual([200, '["a","x y&","r1"]']);
  expect(await ask("/v1/things/special/")).toEqual([200, '["special",null,"r1"]']);
  expect(await ask("/v1/things/a%2Fb%20c/parts/%25")).toEqual([200, '["a/b c","%"]']);
  expect(await ask("/v1/things/%zz")).toEqual([200, '["%zz",null,"r1"]']);
  expect(await ask("/v1/things/a", "DELETE")).toEqual([204, ""]);
});

test("HEAD is answered as GET is, without the body, and a stream behind it ends", async () => {
  expect(await ask("/v1/things/a", "HEAD")).toEqual([200, ""]);
  expect(await ask("/v1/stream", "HEAD")).toEqual([200, ""]);
  expect(cancelled).toBe(1);
});

test.each([
  ["GET", "/v1/things"],
  ["GET", "/v1/things/"],
  ["GET", "/v1/things/a/b"],
  ["GET", "/v2/v1/things/a"],
  ["GET", "/v1/things/a/parts/../../.."],
  ["POST", "/v1/things/a"],
  ["DELETE", "/v1/things/a/parts/b"],
  ["PROPFIND", "/v1/things/a"],
])("no route answers %s %s", async (method, path) => {
  expect(await ask(path, method)).toBeUndefined();
});
