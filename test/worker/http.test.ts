import { describeHttp } from "../contract/http/suite.ts";

describeHttp("workerd");
