// The contents of a systemd user unit and of a launchd agent.

export interface ServiceStart {
  node: string;
  script: string;
  variables: Readonly<Record<string, string>>;
  /** The PATH on which commands look for toolchains. */
  path: string;
}

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html */
export function systemdUnit({ node, script, variables, path }: ServiceStart): string {
  const environment = Object.entries({ PATH: path, ...variables }).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}`,
  );
  return `[Unit]
Description=Handrail, a coding agent held in one hand

[Service]
# An error in the line below is told by systemctl then.
Type=exec
WorkingDirectory=/
# Without the colon, a dollar sign in a path would be a variable.
ExecStart=:${quoted(node)} ${quoted(script)}
${environment.join("\n")}
Restart=on-failure
RestartSec=5
# Ctrl-C for all of it: servers end by themselves when the first process does.
KillMode=mixed

[Install]
WantedBy=default.target
`;
}

/** In systemd units, a percent sign begins a specifier, and quotes and backslashes must be escaped. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("\n", "\\n")}"`;
}

/** launchd.plist(5) */
export function launchdAgent(
  label: string,
  { node, script, variables, path }: ServiceStart,
  log: string,
): string {
  const environment = Object.entries({ PATH: path, ...variables }).map(
    ([name, value]) => `    <key>${escaped(name)}</key>\n    <string>${escaped(value)}</string>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${escaped(label)}</string>
  <key>ProgramArguments</key>
  <array>
    <string>${escaped(node)}</string>
    <string>${escaped(script)}</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${environment.join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardOutPath</key>
  <string>${escaped(log)}</string>
  <key>StandardErrorPath</key>
  <string>${escaped(log)}</string>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
