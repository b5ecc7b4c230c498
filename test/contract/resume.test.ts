import { describeResume } from "./resume/suite.ts";

describeResume("node");
