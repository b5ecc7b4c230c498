// Below a step whose check failed without a network: what the person can open for it, and a button that runs the check
// again.
import type { CheckFacts } from "../session/check-facts.ts";
import type { OpenSession } from "../session/open-session.ts";
import { checkAgain, reportAgain } from "../words/told-words.ts";
import { NetworkOffer } from "./network-offer.tsx";
import { RefusedHosts } from "./refused-hosts.tsx";

interface CheckNetworkProps {
  check: CheckFacts;
  stepId: string;
  session: OpenSession;
}

export function CheckNetwork({ check: { command, lacked }, stepId, session }: CheckNetworkProps) {
  const again = reportAgain(stepId);
  return (
    <>
      {lacked?.refusedHosts && <RefusedHosts hosts={lacked.refusedHosts} again={again} session={session} />}
      {lacked?.needsNetwork && (
        <NetworkOffer command={command} again={checkAgain(stepId)} session={session} />
      )}
    </>
  );
}
