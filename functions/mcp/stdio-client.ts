// The program that talks to an MCP server over its standard input and output. It runs with Node in the sandbox's jail,
// once for each call: it starts the server, asks, and ends it. It is a string here, because none of our files are in
// the jail.

/**
 * Reads its task as JSON from HANDRAIL_MCP (written by `stdioOp`) and prints one line of JSON (`StdioSaid`), both in
 * stdio-server.ts. Its exit code says what the line is, since the server can write to that output but cannot choose
 * this program's exit code: 70 = a fault, 71 = an error of the server, 0 = anything else. Messages are lines:
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio
 */
export const stdioClient = String.raw`
const asked = JSON.parse(process.env.HANDRAIL_MCP);
delete process.env.HANDRAIL_MCP;
delete process.env.HANDRAIL_MCP_CLIENT;
const { command, offered, spoken, client, call, limits } = asked;
const server = require("node:child_process").spawn("/bin/sh", ["-c", command], { detached: true });
const waiting = new Map();
let [line, lineChars, stderr, sent, over, requests] = [[], 0, "", false, false, 0];

function end(said) {
  if (over) return;
  over = true;
  const last = stderr.length > 3000 ? stderr.slice(-3000).replace(/^\S{0,1000}/, "") : stderr;
  const more = said.fault ? { sent, stderr: last } : {};
  process.stdout.write(JSON.stringify({ ...said, ...more }) + "\n");
  const kill = () => {
    try { process.kill(-server.pid, "SIGKILL"); } catch {}
    process.exit(said.fault ? 70 : said.error || said.result?.isError ? 71 : 0);
  };
  // As the protocol says: closing its input makes the program exit.
  server.on("exit", kill);
  if (server.exitCode !== null || server.signalCode !== null) kill();
  server.stdin.end();
  setTimeout(kill, limits.endMs);
}
function fail(fault, more) { end({ fault, ...more }); }
function tell(message) { server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"); }
function ask(method, params, ms) {
  const id = "handrail-" + (requests += 1);
  return new Promise((resolve) => {
    const late = setTimeout(() => fail("late", { seconds: ms / 1000 }), ms);
    waiting.set(id, (answer) => { clearTimeout(late); resolve(answer); });
    tell({ id, method, params });
  });
}
function take(text) {
  let said;
  // Some print other things between: only messages count.
  try { said = JSON.parse(text); } catch { return; }
  for (const one of Array.isArray(said) ? said : [said]) {
    if (typeof one !== "object" || one === null) continue;
    if (typeof one.method === "string") {
      if (one.id === undefined) continue;
      const answer = one.method === "ping" ? { result: {} } : { error: { code: -32601, message: "not offered" } };
      tell({ id: one.id, ...answer });
    } else waiting.get(one.id)?.(one);
  }
}
server.stdout.setEncoding("utf8").on("data", (part) => {
  const parts = part.split("\n");
  parts.forEach((piece, at) => {
    if (over) return;
    if (at > 0) { take(line.join("")); [line, lineChars] = [[], 0]; }
    line.push(piece);
    lineChars += piece.length;
    if (lineChars > limits.answerChars)
      fail("long");
  });
});
server.stderr.setEncoding("utf8").on("data", (part) => { stderr = (stderr + part).slice(-4000); });
server.stdin.on("error", () => {});
server.on("error", (error) => { stderr += error.message; fail("start"); });
// "close": what it had printed before it ended is read by then.
server.on("close", (code, signal) => fail("ended", { how: signal || "exit " + code }));

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.keys(value).sort().map((key) => [key, sorted(value[key])]);
}
function formOf({ name, description = "", inputSchema, annotations }) {
  return JSON.stringify(sorted([name, description, inputSchema, annotations?.readOnlyHint === true]));
}
function digestOf(form) {
  return require("node:crypto").createHash("sha256").update(form).digest("hex");
}
function cut(text) {
  const half = limits.textChars / 2;
  if (text.length <= half * 2) return text;
  // Half a secret is not recognized.
  const last = [" ", "\n", '"', ","].map((sign) => text.lastIndexOf(sign, half - 1) + 1);
  const end = Math.max(half - limits.wordChars, ...last);
  return text.slice(0, end) + "\n[…]\n" + text.slice(-half).replace(new RegExp("^[^\\s\",]{0," + limits.wordChars + "}"), "");
}
/** Without what no model is shown. */
function slim({ result, error }) {
  if (error) return { error };
  if (typeof result !== "object" || result === null) return { result };
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content : [];
  const shown = parts.map((part) => {
    if (typeof part !== "object" || part === null) return part;
    const { data, text, resource, ...rest } = part;
    return {
      ...rest,
      ...(typeof data === "string" ? { bytes: Math.ceil((data.length * 3) / 4) } : {}),
      ...(typeof text === "string" ? { text: cut(text) } : {}),
      ...(resource
        ? { resource: { uri: resource.uri, name: resource.name, ...(typeof resource.text === "string" ? { text: cut(resource.text) } : {}) } }
        : {}),
    };
  });
  const whole = JSON.stringify(shown.length === 0 && structuredContent !== undefined ? structuredContent : shown);
  const fits = shown.length > 0 && whole.length <= 2 * limits.textChars;
  return { result: { isError, content: fits ? shown : [{ type: "text", text: cut(whole) }] } };
}

(async () => {
  const hello = await ask("initialize", { protocolVersion: offered, capabilities: {}, clientInfo: client }, limits.startMs);
  if (!spoken.includes(hello.result?.protocolVersion)) return fail("revision");
  tell({ method: "notifications/initialized" });
  const tools = [];
  let cursor;
  for (let page = 0; page < limits.pages; page += 1) {
    const { result } = await ask("tools/list", cursor ? { cursor } : {}, limits.helloMs);
    if (!Array.isArray(result?.tools)) return fail("list");
    tools.push(...result.tools);
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || cursor === "" || tools.length > limits.tools) break;
  }
  if (!call) {
    const fits = (tool) => JSON.stringify(tool ?? null).length <= limits.toolChars + 5000;
    let room = limits.listChars;
    const listed = tools.map((tool) => {
      if (!tool || !fits(tool)) return null;
      room -= JSON.stringify(tool).length;
      return room > 0 ? { ...tool, form: digestOf(formOf(tool)) } : null;
    });
    return end({ title: String(hello.result.serverInfo?.name ?? ""), tools: listed });
  }
  const found = tools.find((tool) => tool?.name === call.name);
  if (!found) return end({ changed: "gone" });
  const form = formOf(found);
  // The list went through the sandbox's redaction: the digest is of the text before it.
  if (call.form !== form && call.form !== digestOf(form)) return end({ changed: "other" });
  sent = true;
  end(slim(await ask("tools/call", { name: call.name, arguments: call.arguments }, call.ms)));
})();
`;
