// What went wrong with a clone, in words that say what to do. Pure.

/** What git says, and what it means for a person. The first that fits is taken. */
const meanings: readonly [RegExp, string][] = [
  [
    /authentication failed|could not read (username|password)|HTTP Basic|returned error: 40[13]/i,
    "The host asks who you are, or does not take that token. Write it into the address: https://USER:TOKEN@HOST/PATH. It is not kept, so it has to stand there for every new clone.",
  ],
  [
    /repository .*(not found|does not exist)|returned error: 404/i,
    "The host knows no such repository, or hides it from strangers. Look at the address; a private one needs https://USER:TOKEN@HOST/PATH.",
  ],
  [
    /couldn't find remote ref|remote branch .* not found/i,
    "The repository has no branch or tag of that name.",
  ],
  [
    /could not resolve host|failed to connect|couldn't connect|connection (refused|timed out)|network is unreachable/i,
    "Your server cannot reach that host. Look at the address, and at the server's network.",
  ],
  [
    /permission denied \(publickey|host key verification/i,
    "The host does not take an SSH key of your server. Use an https address with a token.",
  ],
];

/** `message`: what the server answered. Where nothing fits, that itself. */
export function cloneProblem(message: string): string {
  const known = meanings.find(([said]) => said.test(message));
  return known?.[1] ?? message.replace(/^source\.git: (.)/, (_, first: string) => first.toUpperCase());
}
