// The secrets of an MCP server: its token in every form that can come back, and keys in addresses and
// commands.
import { describe, expect, test } from "vitest";
import { McpFailure } from "../../../functions/mcp/failure.ts";
import { failureOutcome } from "../../../functions/mcp/outcomes.ts";
import { addressSecrets, holdsSecret, redactOf } from "../../../functions/mcp/secrets.ts";
import { redactFor, secretValues, shownPlace } from "../../../functions/mcp/server-list.ts";

test("token values are looked for however they were given, with those that the edge was started with", () => {
  const mcp = JSON.stringify({
    docs: { url: "https://docs.example/mcp", token: "X-Api-Key: of-the-edge" },
    open: { url: "https://open.example/mcp" },
  });
  expect(secretValues({ mcp }, { plain: "bare", named: "Authorization: Bearer written-out" }, [])).toEqual([
    "Bearer bare",
    "bare",
    "Bearer written-out",
    "written-out",
    "of-the-edge",
  ]);
});

test("for a header with another scheme both forms are looked for, for any other header the whole value", () => {
  const tokens = { scheme: "Authorization: Token written-out", other: "X-Phrase: two words", plain: "a b" };
  expect(secretValues({}, tokens, [])).toEqual([
    ...["Token written-out", "written-out", "two words", "Bearer a b", "a b"],
  ]);
});

test("a token with a quote or a backslash is looked for in its JSON form, too, and so is a key in an address", () => {
  const url = "https://docs.example/mcp?api_key=open-sesame-1";
  expect(secretValues({ mcp: JSON.stringify({ own: { url } }) }, {}, [])).toEqual(["open-sesame-1"]);
  expect(secretValues({}, { odd: 'X-Key: a"b\\c' }, [{ name: "docs", url }])).toEqual([
    ...['a"b\\c', 'a\\"b\\\\c', "open-sesame-1"],
  ]);
});

describe("a token that a server returns", () => {
  const token = 'sv/7"k\\9+q~Zü=x';
  const redact = redactOf([], [token]);
  const bytes = Buffer.from(token);
  test.each([
    ["as it is", token],
    ["in JSON", JSON.stringify({ token })],
    ["in JSON within JSON", JSON.stringify(JSON.stringify({ token }))],
    ["in a URL", `https://x.example/?t=${encodeURIComponent(token)}`],
    ["in a URL with small digits", encodeURIComponent(token).replace(/%../g, (sign) => sign.toLowerCase())],
    ["in hexadecimal digits", bytes.toString("hex")],
    ["in large hexadecimal digits", bytes.toString("hex").toUpperCase()],
    ["in base64", bytes.toString("base64")],
    ["in base64 for URLs", bytes.toString("base64url")],
    ["in base64 after one byte", Buffer.concat([Buffer.from("a"), bytes]).toString("base64")],
    [
      "in base64 after two bytes, with more",
      Buffer.concat([Buffer.from("ab"), bytes, bytes]).toString("base64"),
    ],
  ])("%s is not shown", (_, said) => {
    const shown = redact(`you sent ${said}.`);
    expect(shown).toContain("[redacted: secret]");
    for (const form of [
      token,
      encodeURIComponent(token),
      bytes.toString("hex"),
      bytes.toString("base64").slice(4, -4),
    ])
      expect(shown).not.toContain(form);
  });
});

test.each([0, 1, 2])("a token in either base64 alphabet after %i other bytes is not shown", (offset) => {
  const token = "k?>~k?>~k?>~k?>~k?>~secret-1";
  const bytes = Buffer.concat([Buffer.alloc(offset, "a"), Buffer.from(token)]);
  for (const alphabet of ["base64", "base64url"] as const)
    expect(redactOf([], [token])(bytes.toString(alphabet))).toContain("[redacted: secret]");
});

test("an error is told without secrets, and of the server's words at most 1,000 characters", () => {
  const redact = redactOf([], ["the-token-1"]);
  const failure = new McpFailure("redirects to the-token-1.", false, "x".repeat(5_000));
  const { text } = failureOutcome("docs", failure, redact);
  expect(text).toContain("redirects to [redacted: secret].");
  expect(text.match(/x/g)?.length).toBeLessThan(1_010);
});

test("a server's text loses its own secrets and those of known forms, not another server's token", () => {
  const deps = { secrets: ["own-model-key-1"] };
  const place = { name: "docs", url: "https://docs.example/s/a1b2c3d4e5f6a7b8c9/mcp" };
  const redact = redactFor(deps, place, { docs: "token-of-docs", other: "documentation" });
  expect(redact("token-of-docs a1b2c3d4e5f6a7b8c9 own-model-key-1 documentation")).toBe(
    `${"[redacted: secret] ".repeat(3)}documentation`,
  );
  expect(redact("ghp_abcdefghijklmnopqrstuvwxyz0123456789")).toBe("[redacted: GitHub token]");
});

test.each([
  ["https://x.example/mcp", []],
  ["https://x.example/mcp?project_ref=abcdefghijklmnopqrst&read_only=true", []],
  ["https://x.example/mcp?k=a1b2c3d4e5f6a7b8", ["a1b2c3d4e5f6a7b8"]],
  ["https://x.example/mcp?exampleApiKey=short", ["short"]],
  ["https://x.example/mcp?secret=short&password=a1&pwd=b2&passwd=c3", ["short", "a1", "b2", "c3"]],
  ["https://x.example/mcp?credential=a1&credentials=b2&pat=c3&spat=d4", ["a1", "b2", "c3"]],
  ["https://x.example/mcp?psk=Tr0ub4dor-3x", ["Tr0ub4dor-3x"]],
  ["https://x.example/api/mcp/s/NDJkZTY4YjMtMGQ1Zi/sse", ["NDJkZTY4YjMtMGQ1Zi"]],
  ["https://mcp.example/acme/react-native-web3-kit", []],
  ["https://registry.example/x/-/foo-mcp-server-1.2.3.tgz?org=my-organization1", []],
  ["no address", []],
])("keys of the address %s", (address, secrets) => {
  expect(addressSecrets(address)).toEqual(secrets);
});

test.each([
  "FOO_KEY=abcdef12 npx server",
  "env API_TOKEN='x y' npx server",
  "npx server --token X",
  "npx server --api-key=sk-1",
  'npx server --header "Authorization: Bearer abc"',
  "docker run -e GITHUB_PERSONAL_ACCESS_TOKEN=abc image",
  "npx -y mcp-remote https://x.example/mcp?apiKey=abc",
  "npx server postgres://user:hunter2x@db/shop",
  "npx -y mcp-remote https://x.example/s/a1b2c3d4e5f6a7b8c9/mcp",
  "npx server ghp_abcdefghijklmnopqrstuvwxyz0123456789",
])("a command with a secret: %s", (command) => {
  expect(holdsSecret(command)).toBe(true);
  expect(shownPlace({}, { name: "files", command })).toBe("a command with a secret in it");
});

test.each([
  "npx -y @modelcontextprotocol/server-filesystem .",
  'FOO_KEY="$FOO_KEY" npx server',
  "npx server --token $TOKEN --token-file ./token",
  "npx server --key ./cert.pem --max-tokens 4096",
  ". ./.env; npx server postgresql://localhost/mydb",
  "npx token server",
  "USE_AUTHORIZATION=false node key.mjs",
  "npx -y mcp-remote https://x.example/mcp?project=abc",
])("a command without one: %s", (command) => {
  expect(holdsSecret(command)).toBe(false);
});

test("an error is cut after its secrets are taken out, so that no half of one is left", () => {
  const token = "token-of-a-server-that-repeats-it";
  const said = `${"x".repeat(990)} ${token} and more`;
  const { text } = failureOutcome("docs", new McpFailure("refused it.", false, said), redactOf([], [token]));
  expect(text).not.toContain("token-of");
});
