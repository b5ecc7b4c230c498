// Why an MCP server could not be asked, in words for the model and the person.

export class McpFailure extends Error {
  /** The call was sent: it may have done something. */
  readonly mayHaveRun: boolean;
  /** The server's own words, which are foreign: the message has none of them. */
  readonly said: string | undefined;

  constructor(message: string, mayHaveRun = false, said?: string) {
    super(message);
    this.mayHaveRun = mayHaveRun;
    this.said = said;
  }
}

/** The server does not know the session, so it has not looked at the request: the client can initialize again. */
export class SessionForgotten extends McpFailure {}
