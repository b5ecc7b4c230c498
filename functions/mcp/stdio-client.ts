// The program that talks to an MCP server over its standard input and output. It runs with Node in the sandbox's jail,
// once for each call: it starts the server, asks, and ends it. It is a string here, because none of our files are in
// the jail.

/**
 * Reads its task as JSON from HANDRAIL_MCP (written by `stdioOp`) and prints one line of JSON (`StdioSaid`), both in
 * stdio-server.ts. Its exit code says what the line is, since the server can write to that output but cannot choose
 * this program's exit code: 70 = a fault, 71 = an error of the server, 0 = anything else. Messages are lines, and a
 * server exits once its input is closed (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio).
 * On "close", all that it printed has been read.
 */
export const stdioClient = String.raw`
const { HANDRAIL_MCP, HANDRAIL_MCP_CLIENT, ...env } = process.env;
const { command, offered, spoken, client, call, limits } = JSON.parse(HANDRAIL_MCP);
const server = require("node:child_process").spawn("/bin/sh", ["-c", command], { detached: true, env });
const waiting = new Map();
let [line, lineChars, stderr, sent, over, requests] = [[], 0, "", false, false, 0];

function end(said) {
  if (over) return;
  over = true;
  const more = said.fault ? { sent, stderr: stderr.length < 3000 ? stderr : stderr.replace(/^\S{0,1000}/, "") } : {};
  process.stdout.write(JSON.stringify({ ...said, ...more }) + "\n");
  const kill = () => {
    try { process.kill(-server.pid, "SIGKILL"); } catch {}
    process.exit(said.fault ? 70 : said.error || said.result?.isError ? 71 : 0);
  };
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
  // Only messages count.
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
    if (lineChars > limits.answerChars) fail("long");
  });
});
server.stderr.setEncoding("utf8").on("data", (part) => { stderr = (stderr + part).slice(-3000); });
server.stdin.on("error", () => {});
server.on("error", (error) => { stderr += error.message; fail("start"); });
server.on("close", (code, signal) => fail("ended", { how: signal || "exit " + code }));

function sorted(value) {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(sorted) : Object.keys(value).sort().map((key) => [key, sorted(value[key])]);
}
function formOf({ name, description = "", inputSchema, annotations }) {
  return JSON.stringify(sorted([name, description, inputSchema, annotations?.readOnlyHint === true]));
}
function digestOf(form) {
  return require("node:crypto").createHash("sha256").update(form).digest("hex");
}
function cut(text) {
  if (typeof text !== "string") return;
  const half = limits.textChars / 2;
  return text.length <= half * 2 ? text : text.slice(0, half) + "\n[…]\n" + text.slice(-half);
}
/** Without what no model is shown. */
function slim({ result, error }) {
  if (error || typeof result !== "object" || result === null) return { error, result };
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content : [];
  const shown = parts.map((part) => {
    if (typeof part !== "object" || part === null) return part;
    const { data, resource } = part;
    return {
      ...part,
      data: undefined,
      bytes: typeof data === "string" ? Math.ceil((data.length * 3) / 4) : undefined,
      text: cut(part.text),
      resource: resource ? { uri: resource.uri, name: resource.name, text: cut(resource.text) } : undefined,
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
    let room = limits.listChars;
    const listed = tools.map((tool) => {
      const size = JSON.stringify(tool ?? null).length;
      if (!tool || size > limits.toolChars + 5000) return null;
      room -= size;
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
