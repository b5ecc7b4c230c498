// MCP servers (Model Context Protocol): as the phone stores them, as a turn is posted with them, and as the edge lists
// their tools.
import * as z from "zod/mini";

/** The server's name, which is part of the tool names that the model uses. */
export const McpName = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,29}$/, "1 to 30 of a-z 0-9 -"));

/** SHA-256, as lower-case hex. */
const Digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** What a server says about one of its tools. All of it is untrusted text. */
export const McpTool = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(128)),
  description: z.string().check(z.maxLength(20_000)),
  /** JSON schema of the tool's arguments. */
  inputSchema: z.looseObject({}),
  /** The server says that the tool changes nothing; plan mode offers only such tools. */
  readOnly: z.optional(z.boolean()),
  /**
   * For a tool of a program: digest of its description before secrets are removed from it. A call is refused if it has
   * changed.
   */
  form: z.optional(Digest),
});
export type McpTool = z.infer<typeof McpTool>;

export const McpUse = z.literal(["off", "asked", "allowed"]);
export type McpUse = z.infer<typeof McpUse>;

/** The command that starts a server in the sandbox. It must be a single line, so that a person sees all of it. */
export const McpCommand = z
  .string()
  .check(
    z.maxLength(2_000),
    z.regex(/^(?=.*\S)[^\p{Cc}\p{Cf}\u2028\u2029]+$/u, "one line of visible characters"),
  );

/**
 * How a server is reached. Without an address or a command, it is the server with this name in the edge's own
 * configuration.
 */
const where = {
  name: McpName,
  /** The address of a server that uses Streamable HTTP. */
  url: z.optional(z.string().check(z.maxLength(2_000))),
  /** A program that is started in the sandbox and uses standard input and output. */
  command: z.optional(McpCommand),
  /** Without either: digest of the address or command that the person saw. */
  at: z.optional(Digest),
  /** How long a call may take; absent = 60 seconds. */
  seconds: z.optional(z.number().check(z.int(), z.gte(1), z.lte(600))),
};

/** `tools`: those that the model may use, as the person saw them. */
export const McpServer = z.strictObject({
  ...where,
  tools: z.array(z.strictObject({ ...McpTool.shape, use: McpUse })).check(z.maxLength(300)),
});
export type McpServer = z.infer<typeof McpServer>;

export const McpServers = z.array(McpServer).check(z.maxLength(20));

/**
 * POST /api/mcp/tools. `sandboxId`: where a program is started to be asked. `write`: it gets the access that commands
 * have outside plan mode; otherwise it can change nothing and has no network.
 */
export const McpToolsRequest = z.strictObject({
  ...where,
  sandboxId: z.optional(z.string()),
  write: z.optional(z.boolean()),
});
export type McpToolsRequest = z.infer<typeof McpToolsRequest>;

/**
 * `server`: the name that it gives itself. `left`: tools that are not listed because they are too large or too many.
 */
export const McpToolList = z.object({
  server: z.string(),
  tools: z.array(McpTool),
  left: z.optional(z.number()),
});
export type McpToolList = z.infer<typeof McpToolList>;

/**
 * GET /api/mcp: the servers in the edge's configuration. `host`: origin and path of the address without parts that may
 * be secret, or the command that starts the server; `at`: digest of the whole address or command.
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
