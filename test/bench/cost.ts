// `npm run bench -- cost`: the cost of a session of 300 rounds with three windows, with this version's
// trimming and the earlier one, and with the prompts of other agents. It sends nothing anywhere.
import { defaultLowWater } from "../../functions/compaction/choose-losses.ts";
import { runOurs } from "./cost-ours.ts";
import { peers, runPeer } from "./cost-peers.ts";
import { type Account, priceLists } from "./cost-provider.ts";
import { sessionRounds } from "./cost-session.ts";

const windows = [16_000, 32_000, 128_000];
const roundCount = 300;
/** The share of the room that the earlier trimming left filled. */
const lowWaterBefore = 0.75;

export function run(): void {
  const rounds = sessionRounds(roundCount);
  for (const { name, source } of peers) console.log(`${name}: ${source}`);
  for (const windowTokens of windows) {
    console.log(`\n${roundCount} rounds in a window of ${windowTokens} tokens:`);
    for (const lowWater of [lowWaterBefore, defaultLowWater]) {
      const { account, planWhole } = runOurs(rounds, windowTokens, lowWater);
      print(
        `Handrail, trimmed to ${Math.round(lowWater * 100)} %`,
        account,
        planWhole ? "plan whole" : "PLAN MISSING",
      );
    }
    for (const peer of peers) print(peer.name, runPeer(peer, rounds, windowTokens), "");
  }
}

function print(name: string, account: Account, note: string): void {
  const { requests, refused, kept, inputTokens, cachedTokens } = account;
  const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  const dollars = priceLists.map((list) => `${list.name} $${(account.dollars[list.name] ?? 0).toFixed(2)}`);
  console.log(
    [
      `  ${name.padEnd(30)} ${dollars.join(" · ")}`,
      `refused ${refused} · kept 90 %: ${share(kept, requests)} · cached ${share(cachedTokens, inputTokens)}`,
      `${(inputTokens / 1e6).toFixed(2)} M in`,
      note,
    ].join(" · "),
  );
}
