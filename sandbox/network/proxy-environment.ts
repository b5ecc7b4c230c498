// The variables that tell programs where the proxy is. Connections to the loopback stay direct: a test's own
// server cannot be reached through the proxy.
import { javaHome } from "../jail/jail.ts";
import { bridgePort } from "./bridge.ts";

const host = "127.0.0.1";
const url = `http://${host}:${bridgePort}`;
const direct = "localhost,127.0.0.1,::1";

/**
 * Java has no variables for a proxy:
 * https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/doc-files/net-properties.html.
 * JAVA_TOOL_OPTIONS would apply to all Java programs and add a line to the output of each, so only those that
 * download get the properties.
 */
const java = [
  javaHome,
  ...["http", "https"].flatMap((scheme) => [
    `-D${scheme}.proxyHost=${host}`,
    `-D${scheme}.proxyPort=${bridgePort}`,
  ]),
  "-Dhttp.nonProxyHosts=localhost|127.*|[::1]",
].join(" ");
/**
 * Maven's newer transports read the properties above only with these:
 * https://maven.apache.org/resolver/configuration.html
 */
const maven =
  "-Daether.connector.http.useSystemProperties=true -Daether.transport.apache.useSystemProperties=true";

export const proxyEnvironment: Readonly<Record<string, string>> = {
  HTTP_PROXY: url,
  HTTPS_PROXY: url,
  ALL_PROXY: url,
  NO_PROXY: direct,
  // curl reads only the lower-case `http_proxy`: https://everything.curl.dev/usingcurl/proxies/env.html
  http_proxy: url,
  https_proxy: url,
  all_proxy: url,
  no_proxy: direct,
  // https://nodejs.org/api/cli.html#node_use_env_proxy1
  NODE_USE_ENV_PROXY: "1",
  // Yarn 2 and later read only their own settings: https://yarnpkg.com/configuration/yarnrc#httpProxy
  YARN_HTTP_PROXY: url,
  YARN_HTTPS_PROXY: url,
  MAVEN_OPTS: `${java} ${maven}`,
  GRADLE_OPTS: java,
  SBT_OPTS: java,
};
