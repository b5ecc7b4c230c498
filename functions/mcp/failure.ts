// The reason why an MCP server could not be asked, in words for the model and the person.

export class McpFailure extends Error {
  /** True if the call was sent, so it may have had an effect. */
  readonly mayHaveRun: boolean;
  /** The server's own words, which are untrusted and not part of the message. */
  readonly said: string | undefined;

  constructor(message: string, mayHaveRun = false, said?: string) {
    super(message);
    this.mayHaveRun = mayHaveRun;
    this.said = said;
  }
}

/** The server does not know the session, so it has not read the request: the client can initialize again. */
export class SessionForgotten extends McpFailure {}
