// MCP servers (Model Context Protocol): as the phone keeps them, as a turn is posted with them, as the edge lists their tools.
import * as z from "zod/mini";

/** Part of the names that the model calls tools by. */
export const McpName = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,29}$/, "1 to 30 of a-z 0-9 -"));

/** SHA-256, as lower-case hex. */
const Digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** What a server says about a tool. All of it is foreign text. */
export const McpTool = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(128)),
  description: z.string().check(z.maxLength(20_000)),
  /** JSON schema of its arguments. */
  inputSchema: z.looseObject({}),
  /** The server says that it changes nothing: plan mode offers only such tools. */
  readOnly: z.optional(z.boolean()),
  /** Of a program's tool: digest of what it says, from before secrets were taken out of it. A call is bound to it. */
  form: z.optional(Digest),
});
export type McpTool = z.infer<typeof McpTool>;

export const McpUse = z.enum(["off", "asked", "allowed"]);
export type McpUse = z.infer<typeof McpUse>;

/** The command line that starts a server in the sandbox: one line, so that a person reads all of it. */
export const McpCommand = z
  .string()
  .check(
    z.maxLength(2_000),
    z.regex(/^(?=.*\S)[^\p{Cc}\p{Cf}\u2028\u2029]+$/u, "one line of visible characters"),
  );

/** Where a server is. Without an address or a command: one from the edge's own configuration, by its name. */
const where = {
  name: McpName,
  /** Streamable HTTP. */
  url: z.optional(z.string().check(z.maxLength(2_000))),
  /** A program that speaks over standard input and output, started in the sandbox. */
  command: z.optional(McpCommand),
  /** With neither: digest of the address or command that the person saw. */
  at: z.optional(Digest),
  /** How long a call may take; absent = 60 seconds. */
  seconds: z.optional(z.number().check(z.int(), z.gte(1), z.lte(600))),
};

/** The tools that the model may use, as the person saw them. */
export const McpServer = z.strictObject({
  ...where,
  tools: z.array(z.strictObject({ ...McpTool.shape, use: McpUse })).check(z.maxLength(300)),
});
export type McpServer = z.infer<typeof McpServer>;

export const McpServers = z.array(McpServer).check(z.maxLength(20));

/**
 * POST /api/mcp/tools. `sandboxId`: where a program is started to be asked. `write`: with the access of commands outside
 * plan mode; without, it can change nothing and has no network.
 */
export const McpToolsRequest = z.strictObject({
  ...where,
  sandboxId: z.optional(z.string()),
  write: z.optional(z.boolean()),
});
export type McpToolsRequest = z.infer<typeof McpToolsRequest>;

/** `server`: as it calls itself. `left`: tools that are too large or too many to be listed. */
export const McpToolList = z.object({
  server: z.string(),
  tools: z.array(McpTool),
  left: z.optional(z.number()),
});
export type McpToolList = z.infer<typeof McpToolList>;

/**
 * GET /api/mcp: servers that the edge was started with. `host`: origin and path of its address, without what may be secret in
 * it, or the command that starts it; `at`: digest of all of it.
 */
export const McpKnown = z.object({
  servers: z.array(
    z.object({
      ...{ name: z.string(), host: z.string(), program: z.optional(z.boolean()) },
      at: z.optional(Digest),
    }),
  ),
});
export type McpKnown = z.infer<typeof McpKnown>;
