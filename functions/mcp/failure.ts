// Why an MCP server could not be asked, in words for the model and the person.

export class McpFailure extends Error {
  /** The call was sent: it may have done something. */
  readonly mayHaveRun: boolean;

  constructor(message: string, mayHaveRun = false) {
    super(message);
    this.mayHaveRun = mayHaveRun;
  }
}
