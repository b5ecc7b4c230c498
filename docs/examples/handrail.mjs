// A client of Handrail's API in one file: plain fetch, no packages; Node 20, Deno and browsers. Takes a turn to its end.

/** Comment lines come every 10 s; two and a half of them missed is a dead connection. */
const silenceMs = 25_000;

/**
 * Runs one turn, through lost connections and restarts of the server, and yields each of its events once:
 * `{id?, event, data}`. Ends after `turn.done` or `turn.failed`. Text deltas may come again after a lost
 * connection, under a new `messageId`; what counts is the `message` that follows them.
 *
 * `server`: `{base, token}`, the two parts of the pairing URL. `request`: the body of POST /api/turn without
 * `protocol`, `attempt` and `after`. Throws an Error with `code` and `details` where the request itself is refused.
 */
export async function* runTurn(server, request) {
  let after = 0;
  let attempt = 1;
  // Posting again claims the turn anew, so that comes last: first we look whether it still runs.
  let next = "post";
  for (let failures = 0; ; ) {
    const ask =
      next === "post"
        ? post(server, { protocol: 1, ...request, attempt, after })
        : follow(server, request, after);
    try {
      for await (const event of ask) {
        failures = 0;
        if (event.id !== undefined) {
          if (event.id <= after) continue;
          after = event.id;
        }
        yield event;
        if (event.event === "turn.done" || event.event === "turn.failed") return;
      }
      // It closed without a last event: nobody runs it any more.
      attempt += next === "follow" ? 1 : 0;
      next = next === "follow" ? "post" : "follow";
    } catch (error) {
      if (error.code === "not_found" && next === "follow") next = "post";
      else if (error.code === "stale_epoch") next = "follow";
      else if (error.code && !error.retryable) throw error;
      else next = "follow";
    }
    failures += 1;
    await new Promise((resolve) => setTimeout(resolve, Math.min(100 * 2 ** failures, 10_000)));
  }
}

/** Ends a turn, wherever it runs. */
export async function stopTurn(server, sandboxId, turnId) {
  await call(server, `/api/turns/${sandboxId}/${turnId}/stop`, { method: "POST" });
}

/** A new sandbox; answers its id. */
export async function createSandbox(server, source) {
  const response = await call(server, "/api/sandboxes", json(source ? { source } : {}));
  return (await response.json()).sandboxId;
}

async function* post(server, body) {
  yield* events(server, "/api/turn", json(body));
}

async function* follow(server, { sandboxId, turnId }, after) {
  yield* events(server, `/api/turns/${sandboxId}/${turnId}/events?after=${after}`, {});
}

async function* events(server, path, init) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await call(server, path, { ...init, signal: silence.signal });
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      const blocks = (text + chunk).split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const field = (name) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
        if (field("event") === undefined) continue;
        const id = field("id");
        yield { ...(id ? { id: Number(id) } : {}), event: field("event"), data: JSON.parse(field("data")) };
      }
    }
  } finally {
    clearTimeout(timer);
    // Whoever stops reading hangs up.
    silence.abort();
  }
}

async function call({ base, token }, path, init = {}) {
  const headers = { authorization: `Bearer ${token}`, ...init.headers };
  const response = await fetch(`${base}${path}`, { ...init, headers });
  if (response.ok) return response;
  const { error } = await response
    .json()
    .catch(() => ({ error: { message: `HTTP ${response.status}`, retryable: true } }));
  throw Object.assign(new Error(error.message), error);
}

function json(body) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
