import { describeExposed } from "../contract/http/exposed.ts";

describeExposed("deno");
