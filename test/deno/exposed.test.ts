// @module-tag long
import { describeExposed } from "../contract/http/exposed.ts";

describeExposed("deno");
