// Refspecs of `git fetch` and `git pull` that replace a branch of this repository.
import { isOn, type ReadArguments } from "./options.ts";

/** A forced or pruned refspec whose destination is not a remote-tracking branch. */
export function overwritesBranches(read: ReadArguments, from: number): boolean {
  const isForced = isOn(read, ["-f", "--force"], ["--no-force"]);
  const isPruned = isOn(read, ["-p", "--prune"], ["--no-prune"]);
  if (isOn(read, ["-u", "--update-head-ok"])) return true;
  return read.operands.slice(from).some(({ text }) => {
    const colon = text.indexOf(":");
    const end = colon < 0 ? "" : text.slice(colon + 1);
    if (end === "" || /^(refs\/)?remotes\//.test(end)) return false;
    return text.startsWith("+") || isForced || (isPruned && end.includes("*"));
  });
}
