// What the demo says about itself and about tasks that it cannot do. It never claims work that was not done.

const setup =
  "To work with a real model, stop the server and start it with a provider: `OPENAI_API_KEY=… npm start`, or `OPENAI_BASE_URL` and `HANDRAIL_MODEL` for any OpenAI-compatible one. `HANDRAIL_WORKSPACE=/path/to/repo` serves your own repository.";

export const whatItIs = [
  "I am a scripted demo, not a model: I play one prepared task on the sample project and understand nothing else.",
  'What I can show: switch to plan mode and say, for example, "Limit each token to 100 requests a minute. Keep the per-IP limit." You get a plan, one question, and after your approval real edits and a real test run. In normal mode, "Fix the failing test" does the same edits directly.',
  setup,
].join("\n\n");

export const notTheSample = [
  "I am a scripted demo, not a model, and my script is made for the sample project. These files are not that project (or no longer), so I changed nothing.",
  setup,
].join("\n\n");

export function strangeFile(path: string): string {
  return `\`${path}\` does not look the way my script knows it, so I stop here and leave it as it is. I am a scripted demo, not a model: I cannot work out another way.\n\n${setup}`;
}

export function couldNot(what: string, reason: string): string {
  return `${what} did not work:\n\n> ${firstLines(reason)}\n\nI am a scripted demo and cannot mend this. Nothing after it was done.`;
}

export function firstLines(text: string): string {
  return text.trim().split("\n").slice(0, 3).join("\n> ");
}
