import { describe } from "vitest";
import { describeTakenUp } from "./taken-up.ts";

describe("turns that a dead edge left, on node", () => describeTakenUp("node"));
describe("turns that a dead edge left, on deno", { tags: "long" }, () => describeTakenUp("deno"));
