// Tells in which round of a turn an assistant message was sampled. Pure.

/**
 * The part TURN.ROUND of a message id TURN.ROUND.RANDOM. Two samplings of one round differ only in the last part. ""
 * for ids of another form.
 */
export function roundOf(messageId: string): string {
  return messageId.slice(0, Math.max(0, messageId.lastIndexOf(".")));
}
