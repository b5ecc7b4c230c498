import { describeExposed } from "./http/exposed.ts";

describeExposed("node");
