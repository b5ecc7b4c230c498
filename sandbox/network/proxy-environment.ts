// The variables that tell programs where the proxy is. Loopback stays direct: a test's own server is not reached through it.
import { javaHome } from "../jail/jail.ts";
import { bridgePort } from "./bridge.ts";

const host = "127.0.0.1";
const url = `http://${host}:${bridgePort}`;
const direct = "localhost,127.0.0.1,::1";

/**
 * Java has no variables for it: https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/doc-files/net-properties.html.
 * JAVA_TOOL_OPTIONS would reach all programs, and print a line into the output of each; so those that fetch have theirs.
 */
const java = [
  javaHome,
  ...["http", "https"].flatMap((scheme) => [
    `-D${scheme}.proxyHost=${host}`,
    `-D${scheme}.proxyPort=${bridgePort}`,
  ]),
  "-Dhttp.nonProxyHosts=localhost|127.*|[::1]",
].join(" ");
/** Maven's newer transports look at the properties above only when told: https://maven.apache.org/resolver/configuration.html */
const maven =
  "-Daether.connector.http.useSystemProperties=true -Daether.transport.apache.useSystemProperties=true";

export const proxyEnvironment: Readonly<Record<string, string>> = {
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  ALL_PROXY: url,
  NO_PROXY: direct,
  // curl takes `http_proxy` in lower case only: https://everything.curl.dev/usingcurl/proxies/env.html
  http_proxy: url,
  https_proxy: url,
  all_proxy: url,
  no_proxy: direct,
  // https://nodejs.org/api/cli.html#node_use_env_proxy1
  NODE_USE_ENV_PROXY: "1",
  // Yarn from 2 on reads its own settings only: https://yarnpkg.com/configuration/yarnrc#httpProxy
  YARN_HTTP_PROXY: url,
  YARN_HTTPS_PROXY: url,
  MAVEN_OPTS: `${java} ${maven}`,
  GRADLE_OPTS: java,
  SBT_OPTS: java,
};
