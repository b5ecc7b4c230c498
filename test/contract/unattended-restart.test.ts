import { describe } from "vitest";
import { describeUnattendedRestart } from "./unattended-restart.ts";

describe("turns that a dead edge left, on node", () => describeUnattendedRestart("node"));
describe("turns that a dead edge left, on deno", { tags: "long" }, () => describeUnattendedRestart("deno"));
