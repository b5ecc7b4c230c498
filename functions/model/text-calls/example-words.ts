// Words that announce an example, which must not be run. What they are used for is written in near-calls.ts.

/** Words that announce an example. */
export const examples =
  /\b(examples?|e\.g|for instance|such as|looks? like|like this|like so|formats?|syntax|schema|docs?|documentation|readme|spec|template|snippet|sample|would|could|might|sends?|sent|server|client|api|endpoint|payload|request body|protocol|respon(?:se|ds?)|returns?|returned|logs?|logged|prints?|printed|contains?|fixture|expects?|explain|illustrat\w*|demonstrat\w*|describ\w*|shows?|shown|you(?:'d|'ll|r)?|users?|people|somebody|someone|not|don't|never|instead of|Beispiel|exemple|ejemplo|esempio|пример)\b|例|示例/i;
/** The subset that nobody uses about a call they are about to make. */
const shows =
  /\b(examples?|e\.g|for instance|such as|looks? like|like this|like so|formats?|syntax|schema|template|snippet|sample|payload|protocol|expects?|(?:client|server|model|assistant|agent|person|user|test|log|file|page|issue|report|fixture)s? (?:\w+ ){0,2}(?:sends?|sent|writes?|wrote|prints?|printed|answers?|answered|says?|said|contains?|holds?|expects?|ends?))\b|Beispiel|exemple|ejemplo|esempio|пример|例|示例/i;

/**
 * Whether `lead` announces an example with a colon. For the marks of chat templates, which are for calls alone: any other
 * words before them ("I can read the docs for you") are what models say before a call.
 */
export function announcesExample(lead: string): boolean {
  const words = lead.replace(/[*_\s]+$/, "");
  if (!/[:：]$/.test(words)) return false;
  const sentence =
    lastWords(words)
      .split(/(?<=[.!?。])\s+/)
      .at(-1) ?? "";
  return shows.test(sentence) && leadsToExample(words);
}

/** The last paragraph, which is what a call follows. */
export function lastWords(lead: string): string {
  return (
    lead
      .split(/\n\s*\n/)
      .at(-1)
      ?.slice(-300) ?? ""
  );
}

export function leadsToExample(lead: string): boolean {
  const words = lastWords(lead);
  // ReAct's models think aloud before each call.
  if (/^(?:\*\*)?Thought\b/.test(words)) return false;
  // "I will look at the tests" is no example; a sentence of intent outweighs what it is about.
  const sentence = words.split(/(?<=[.!?])\s+/).at(-1) ?? "";
  const intent =
    /^(?:\W*(?:okay|ok|sure|certainly|of course|now|next|first|then|so)\W+)*(?:I(?:'ll| will|'m going to| am going to| need to| have to)|let me|let's|we(?:'ll| will| need to))\b/i.test(
      sentence,
    );
  const told =
    /\b(not|never|explain|show|illustrat|demonstrat|describe|tell|give|write|document|you)\w*\b/i.test(
      sentence,
    );
  return examples.test(words) && !(intent && !told);
}
