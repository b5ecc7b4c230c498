// @module-tag long
import { describeResume } from "../contract/resume/suite.ts";

describeResume("deno");
