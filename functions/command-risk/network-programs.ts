// Programs that contact other machines, with their options that take a value. Data from the programs' manuals.

const named = (programs: string): ReadonlySet<string> => new Set(programs.trim().split(/\s+/));

/** Programs that always contact another machine. */
export const always = named(`
ssh slogin mosh autossh sshpass ssh-copy-id ssh-keyscan sftp ftp lftp tftp mail mailx sendmail msmtp mutt telnet rsh rlogin rexec
gh-pages surge vercel netlify heroku aws gcloud gsutil az doctl ansible ansible-playbook semantic-release ngrok cloudflared
localtunnel lt bore frpc tailscale wg openvpn croc wormhole magic-wormhole transfer sshfs curlftpfs mount.nfs showmount
nmap masscan zmap smbclient rpcclient ldapsearch snmpwalk snmpget irssi weechat finger open xdg-open sensible-browser
lynx w3m links elinks chromium chromium-browser google-chrome firefox yt-dlp youtube-dl ffsend rclone s3cmd s5cmd azcopy
railway render supabase firebase eas fastlane rsyncd whois kinit nfsstat xdotool
`);

/**
 * Tools that contact the hosts in their operands, with their options that take a value. They are harmless with
 * addresses of this machine.
 */
export const toHost: ReadonlyMap<string, { spec: string; operands: "all" | "first" }> = new Map(
  `
curl all A:b:c:C:d:D:e:E:F:H:K:m:o:P:Q:r:t:T:u:U:w:x:X:y:Y:z:url:request:head header:data:data-raw:data-binary:data-ascii:data-urlencode:json:output:output-dir:user:user-agent:referer:cookie:cookie-jar:form:form-string:write-out:max-time:connect-timeout:retry:retry-delay:retry-max-time:cacert:capath:cert:key:cert-type:key-type:upload-file:range:limit-rate:max-redirs:max-filesize:proxy:proxy-user:preproxy:socks4:socks4a:socks5:socks5-hostname:proxy1.0:noproxy:resolve:connect-to:config:unix-socket:abstract-unix-socket:interface:dns-servers:doh-url:oauth2-bearer:aws-sigv4:ciphers:tls-max:trace:trace-ascii:stderr:dump-header:time-cond:keepalive-time:variable:url-query:speed-limit:speed-time:pass:pinnedpubkey:proto:proto-default:local-port:etag-save:etag-compare:
wget all o:a:e:i:B:t:O:T:w:Q:P:U:l:A:R:D:I:X:output-file:append-output:execute:input-file:base:tries:output-document:timeout:wait:quota:directory-prefix:user-agent:header:post-data:post-file:body-data:body-file:method:user:password:load-cookies:save-cookies:referer:level:accept:reject:domains:ca-certificate:certificate:private-key:limit-rate:config:bind-address:dns-timeout:connect-timeout:read-timeout:waitretry:max-redirect:proxy-user:proxy-password:restrict-file-names:progress:
wget2 all o:O:P:T:t:U:e:i:header:post-data:timeout:tries:output-document:input-file:execute:
aria2c all d:o:i:s:x:j:k:l:dir:out:input-file:split:log:
axel all o:n:s:U:H:
http first a:A:o:s:p:v?auth:auth-type:output:style:print:timeout:session:session-read-only:proxy:verify:cert:cert-key:pretty:format-options:boundary:max-redirects:raw:default-scheme:
https first a:A:o:s:p:auth:output:proxy:session:timeout:verify:
xh first a:A:o:s:p:auth:output:proxy:session:timeout:verify:raw:
xhs first a:A:o:s:p:auth:output:proxy:
curlie all d:H:X:o:u:
hurl all o:u:variable:variables-file:output:proxy:user:
fetch all o:T:w:
nc first p:w:s:q:i:x:X:e:c:g:G:o:O:I:T:P:V:m:M:
ncat first p:w:s:i:e:c:o:m:g:G:proxy:proxy-type:proxy-auth:exec:sh-exec:lua-exec:source:source-port:wait:
netcat first p:w:s:q:i:x:X:e:c:g:G:o:O:I:T:
socat all b:d?lf?t:T:
websocat all H:B:header:protocol:origin:
wscat first c:H:o:p:x:connect:header:origin:proxy:execute:
ping all c:i:w:W:s:t:I:l:p:Q:S:M:m:
ping6 all c:i:w:W:s:t:I:
fping all c:C:t:i:p:f:g?
traceroute first m:q:w:p:f:i:s:g:
tracepath first m:p:l:
mtr first c:i:m:s:a:report-cycles:interval:
dig all b:c:f:k:p:q:t:x:y:
host all c:N:R:t:W:m:
nslookup all
drill all p:q:t:
kdig all p:q:t:
delv all p:q:t:a:
resolvectl all i:t:c:
resolveip all
grpcurl first d:H:import-path:proto:authority:cert:key:cacert:max-time:rpc-header:protoset:
grpc_cli all
mosquitto_pub all h:p:t:m:u:P:i:q:f:id:host:port:topic:message:username:pw:
mosquitto_sub all h:p:t:u:P:i:q:C:host:port:topic:username:pw:
kcat all b:t:C?P?o:c:f:X:G?
ab all n:c:t:p:T:H:u:k?A:m:s:
wrk all c:d:t:s:H:connections:duration:threads:script:header:timeout:
hey all n:c:q:z:m:H:t:A:d:D:T:a:x:o:
siege all c:r:t:d:f:H:A:
autocannon all c:d:p:w:m:b:B:i:H:a:t:R:method:body:input:headers:amount:timeout:connections:duration:pipelining:
oha all n:c:z:q:m:H:d:T:
`
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", operands = "", ...spec] = line.split(" ");
      return [name, { operands: operands === "all" ? "all" : "first", spec: spec.join(" ") }] as const;
    }),
);

/**
 * Options of these tools that send the request to a place other than the address, or read more addresses from a file.
 */
export const detours: ReadonlySet<string> = named(`
-x -K --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --proxy1.0 --resolve --connect-to --config
--unix-socket --abstract-unix-socket --doh-url --dns-servers --variable --expand-url --expand-data --execute --input-file
--exec --sh-exec --lua-exec --base
`);

/** Programs that copy between machines: an operand `HOST:PATH` names another machine. */
export const copying = named("scp rsync tar unison rdiff-backup borg restic");

/**
 * Programs whose arguments are text or files: an address among them is searched for, printed or compared, not
 * contacted.
 */
export const textual = named(`
echo printf grep egrep fgrep rg ag ack sed jq yq xq test [ [[ expr cat head tail tr cut sort uniq wc ls cd
pushd mkdir rmdir touch rm cp mv ln basename dirname realpath readlink diff cmp comm man which type file stat find fd tree tee
column paste fold fmt nl rev tac od xxd hexdump base64 md5sum sha256sum strings less more true false : read let return local
chmod chown for select in function
`);

/** Verbs that send their arguments to a registry or a remote, including text that was put together at run time. */
export const asking: readonly RegExp[] = [
  /^npm (view|info|show|v|search|s|se|find|ping|audit|whoami|ci|outdated|team|org|profile|fund|docs|repo|bugs)$/,
  /^(pnpm|yarn|bun) (info|view|search|audit|install|why|outdated|npm|pm)$/,
  /^pip[\d.]* (index|search)$/,
  /^(cargo|gem|brew|composer|conda) (search|info|show|fetch|install|update)$/,
  /^(apt|apt-get|apt-cache) (search|show|download|changelog)$/,
  /^git (fetch|pull|clone|ls-remote|remote|lfs|submodule)$/,
];

/** Variables that decide from where, or through which proxy, programs fetch. */
export const sourceVariable =
  /^(\w*_proxy|\w*(registry|index|mirror|repo_url|base_url|endpoint)(_url)?|CURL_HOME|(SYSTEM_)?WGETRC|PGSERVICEFILE|GOPROXY|GONOSUMDB|GOSUMDB|NPM_CONFIG_\w+|PIP_\w*(LINKS|HOST)|UV_\w*URL|CARGO_(REGISTRIES|REGISTRY|HTTP|SOURCE|NET)\w*|DOCKER_HOST|PGHOST|PGHOSTADDR|PGSERVICE|MYSQL_HOST|REDIS_URL)$/i;
