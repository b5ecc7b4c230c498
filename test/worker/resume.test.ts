import { describeResume } from "../contract/resume/suite.ts";

describeResume("workerd");
