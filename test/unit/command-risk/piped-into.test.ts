// The programs whose exit code hides that of the command before the pipe.
import { expect, test } from "vitest";
import { pipedInto } from "../../../functions/command-risk/piped-into.ts";

test.each([
  ["npm test", []],
  ["npm test | tail -5", ["tail"]],
  ["npm test | tail -5; ls", ["tail"]],
  ["npm test |\n tail -5", ["tail"]],
  ["npm test | grep x | wc -l", ["grep", "wc"]],
  ["set -o pipefail; npm test | tail -5", []],
  ["npm test > >(tee log)", []],
  // `head` that only shortens its input
  ["npm test | head -5", ["head -"]],
  ["npm test | head -n 5", ["head -"]],
  ["npm test | grep x | head -3", ["grep", "head -"]],
  ["npm test | head", ["head -"]],
  // `head` that may end its input early, or reads a file
  ["yes | head -5", ["head"]],
  ["cat /dev/urandom | head -c 5", ["head"]],
  ["npm test | head log", ["head"]],
  ["head log; npm test | head -5", ["head"]],
  ["head -5 < log; npm test | head -5", ["head"]],
  ["yes | head -1; npm test | head -5", ["head", "head"]],
])("%s", (command, programs) => {
  expect(pipedInto(command)).toEqual(programs);
});
