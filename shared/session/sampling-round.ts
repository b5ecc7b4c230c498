// Which round of a turn an assistant message was sampled in. Pure.

/**
 * TURN.ROUND of a message id TURN.ROUND.RANDOM: two samplings of one round differ in the last part alone. "" for ids of
 * another form.
 */
export function roundOf(messageId: string): string {
  return messageId.slice(0, Math.max(0, messageId.lastIndexOf(".")));
}
