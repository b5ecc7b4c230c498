// Verbs of programs that discard work or data, send something, or change what runs later. Data from the programs'
// manuals.

export interface ToolRule {
  programs: RegExp;
  /** Options with a value before the verb, in the form that `readArguments` takes. */
  spec: string;
  /** Matched against the operands, joined by spaces. */
  verb: RegExp;
  /** One of the words must match as well. */
  option?: RegExp;
}

/** Parses lines of the form `PROGRAMS;OPTIONS WITH A VALUE;VERBS;WORD`; only the first part is required. */
function rules(table: string): ToolRule[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [programs = "", spec = "", verb = "", option = ""] = line.split(";");
      return {
        programs: new RegExp(`^(${programs})$`),
        spec,
        verb: new RegExp(verb === "" ? "" : `^(${verb})( |$)`),
        ...(option === "" ? {} : { option: new RegExp(option) }),
      };
    });
}

const hg = "R:repository:cwd:config:config-file:m:message:r:rev:";
const jj = "R:repository:at-op:at-operation:config:config-file:color:";
const svn = "m:message:F:username:password:config-dir:config-option:r:revision:depth:changelist:";

export const losesWork: readonly ToolRule[] = rules(String.raw`
hg|sl|chg;${hg};revert|rev|purge|clean|strip|debugstrip|rollback|histedit|rebase|prune|uncommit|amend|unamend|hide|fold
hg|sl|chg;${hg};update|up|checkout|co|goto|go|merge;^(-\w*C\w*|--cle\w*)$
hg|sl|chg;${hg};commit|ci;^--amend$
hg|sl|chg;${hg};remove|rm|forget|shelve;^(-f|--force|--delete|--cleanup|-d)$
svn;${svn};revert|obliterate
svn;${svn};cleanup|switch|sw|update|up|delete|del|rm|remove;^--(remove-\w+|force|vacuum-pristines)
jj;${jj};abandon|undo|restore|revert-op|(op|operation) (restore|undo|revert|abandon)|(bookmark|branch|b) (delete|d|forget|f)|workspace forget|util gc
fossil;R:m:;revert|clean|purge|undo|scrub|shun
fossil;R:m:;update|checkout|co|close;^--?(force|f)$
bzr|brz;d:m:;revert|clean-tree|uncommit|shelve|remove-branch|break-lock
p4;c:p:u:P:d:C:;revert|clean|obliterate|delete|unshelve|flush
p4;c:p:u:P:d:C:;sync;^-f$
p4;c:p:u:P:C:;;^-d$
darcs;repodir:;revert|obliterate|unpull|unrecord|rollback|amend|amend-record
pijul;repository:;reset|unrecord|channel delete
cvs;d:z:;(update|up|upd);^-\w*C
scalar;C:c:;delete|unregister
git-filter-repo|git-filter-branch|bfg|bfg\.jar
dvc;;gc|destroy|remove
dvc;;checkout;^(-f|--force)$
alembic;c:x:n:name:config:;downgrade
typeorm|typeorm-ts-node-(commonjs|esm);d:f:dataSource:config:;schema:drop|migration:revert|schema:sync|cache:clear
restic|rustic|borg;r:repo:;forget|prune|delete|recreate
influx;;delete|bucket delete
flyway;url:user:password:;.*\b(clean|undo)
liquibase;;(\S+ )*(drop-?all|rollback\S*|dropAll|drop-all-\S+)
diesel;database-url:config-file:migration-dir:;(database|db) (reset|drop)|migration (revert|redo)
sqlx;D:database-url:source:;(database|db) (drop|reset)|(migrate|mig|m) revert
dbmate;u:e:d:s:url:env:migrations-dir:;drop|down|rollback
goose;dir:table:;(\S+ )*(down|down-to|reset|redo|down-by-one)
migrate|golang-migrate;path:database:source:;(\S+ )*(down|drop|force)
knex;knexfile:cwd:client:env:;migrate:(rollback|down)
sequelize|sequelize-cli;env:config:;db:(drop|migrate:undo\S*|seed:undo\S*)
mikro-orm;config:;(schema:(drop|fresh)|migration:(down|fresh)|database:drop)
drizzle-kit;config:;drop
db-migrate;e:config:;(down|reset|db:drop|drop)
node-pg-migrate;m:;(down|redo)
phinx;c:e:;rollback
atlas;env:url:u:;schema clean
dotnet-ef;;database drop
dotnet;p:s:project:;ef (database drop|migrations remove)
yoyo;;(rollback|reapply)
piccolo|aerich|tortoise;;(migrations backwards|downgrade)
flask;app:A:e:env-file:;db downgrade
symfony|console|doctrine;env:e:;(\S+ )?doctrine:(database:drop|schema:drop|fixtures:load)
hasura;;(migrate apply|metadata clear);^(--down|--all-databases|clear)
dropdb|dropuser|pg_dropcluster|pg_resetwal|mysql_install_db|initdb
mysqladmin|mariadb-admin;h:u:P:S:host:user:port:socket:;(\S+ )*(drop|shutdown|kill|password|flush-\S+)
pg_restore;;;^(-\w*c\w*|--cle\w*)$
mongorestore|mongoimport;;;^--drop(=true)?$
mysqlimport|mariadb-import;;;^(-d|--delete|-r|--replace)$
etcdctl;endpoints:;(del|rm|rmdir|member remove|snapshot restore)
kafka-topics(\.sh)?|kafka-consumer-groups(\.sh)?;;;^--delete$
rabbitmqctl|rabbitmqadmin;;(reset|force_reset|delete\S*|purge\S*)
magick|convert|identify|montage;;;^ephemeral:
mogrify
gio;;(trash|remove|move|save)
pytest|py\.test;;;^--basetemp(=(?!/tmp/|build/|.?tmp/)|$)
patch;;;^(-[ENbclnsutfZT\d]*R|--rev)
exiftool;;;^-(overwrite_original\w*|delete_original!?)$
rename|prename|perl-rename|file-rename;;;^(-\w*f\w*|--force)$
mmv;;;^-\w*[do]
strip|objcopy|ar;;;\.([cm]?[jt]sx?|py|rs|go|java|rb|php)$
fastboot|esptool(\.py)?|avrdude|openocd|dfu-util|flashrom|ipmitool|stm32flash
rustup;;(self uninstall|toolchain (uninstall|remove)|uninstall)
jdupes|fdupes;;;^(-\w*d\w*|--del\w*)$
jdupes;;;^(-\w*[lLB]\w*|--(link|dedupe)\S*)$
rdfind;;;^-(delete|make)
fclones;;(remove|link|dedupe|move)
czkawka(_cli)?;;;^(-D|--delete-\w+)
rip|rmtrash|trash-rm|trash-empty|rmw|gvfs-(rm|trash)|scrub
detox;s:f:;;^(-\w*r\w*|--recursive)$
sqlite-utils;;drop-\w+
sqlite-utils;;;^--drop$
dolt;;clean|gc|table rm
dolt;;reset|checkout|branch;^(--hard|--force|-\w*[fD]|\.)$
dolt;;sql;\b(drop|DROP|delete|DELETE|truncate|TRUNCATE)\s
meson;;;^--wipe$
`);

export const sendsOut: readonly ToolRule[] = rules(String.raw`
uv|pnpm;;self[- ]update
yarn;;policies
vault|consul;;write|kv
svn;${svn};commit|ci|import|lock|unlock|relocate
svn;${svn};copy|cp|mkdir|move|mv|rename|ren|delete|del|rm|remove;^\^/
cvs;d:z:;commit|ci|import|tag|rtag|rdiff
p4;c:p:u:P:d:C:;submit|shelve|lock|unlock
fossil;R:m:;commit|ci|sync|ui|server
hg|sl|chg;${hg};email|phabsend|incoming|outgoing|in|out
hg|sl|chg;${hg};pr (submit|create)
gt;cwd:;submit|ss|s|sync|get|merge|land|(stack|downstack|upstack|branch) (submit|get)|repo sync
git-town|git-spice;;(?!config|help|status|offline|completions)\S+
jj;${jj};git (fetch|clone)
dolt;;pull|fetch|clone|remote add
claude|codex|gemini|opencode|amp|crush|qwen|droid|auggie|plandex|pdx|kiro-cli;;(?!(mcp|config|session|auth) (ls|list|get)|login status|models|completion|doctor|info)\S*
aider|cursor-agent|llm|sgpt|tgpt|aichat|chatgpt|mods|gptme|interpreter|openhands
goose;;run|session|web|recipe|schedule|acp
np|release-it|bumpp|release-please|semantic-release|shipjs|uplift|semver-release-cli|gh-pages|ecs-deploy|chromatic|argos|applitools
auto;;shipit|release|latest|next|canary
lerna;;version
npm|pnpm|yarn|bun;C:F:w:filter:workspace:cwd:;(run |run-script )?(release|publish|deploy)(:\S+)?
nx|moon|turbo|bazel|bazelisk|just|task|go-task|mage|invoke|inv|rake;;(run )?(\S*:)?(release|publish|deploy|push)(:\S+)?
nox|tox;;(release|publish|deploy)\S*
elixir|iex;;;^--rpc-eval$
changelogen;;;^--publish$
now|vercel|oci|hcloud|linode-cli|scw|vultr-cli|tsuru|dokku|modal|replicate|qshell;;(?!(--)?(version|help)|dev|build|list|ls|whoami)\S*
codecov|codecovcli|coveralls|snyk|sonar-scanner|fossa|percy|lhci|notation|asciinema;;(?!(--)?(version|help)|config|rec|play|collect|assert|healthcheck)\S*
sentry-cli;;(?!(--)?(version|help)|info)\S+
oras|crane|regctl|skopeo|cosign;;(?!(version|help|completion)( |$)).*
semgrep;;ci|login
web-ext;s:source-dir:;sign
jreleaser;;(full-release|release|announce)
gradle|gradlew;p:b:I:;(\S+ )*(\S*:)?(?!publishToMavenLocal)(publish|upload|closeAndRelease)\w*
mvn|mvnw|mvnd;f:P:pl:s:file:settings:;(\S+ )*(release|nexus-staging):\S+
sbt;;(\S+ )*(\S+/)?(publishSigned|release|sonatype\w*)
cpan-upload|mojo-upload|ghp-import;;;^(?!-n$)
hexo;;d
mkdocs;f:;gh-deploy
werf;;converge|dismiss|cleanup|purge|host
dvc;;pull|fetch|import|import-url|get
dbt;;run|build|seed|snapshot|retry|clone|run-operation
sqlmesh;;plan|apply|run|invalidate|destroy
airflow;;(dags|tasks) (trigger|delete|run|clear|backfill)
mlflow;;run|deployments|models
bit;;export
salt|salt-call|salt-ssh|chef-client|chef-apply|chef-solo|ansible-console|ansible-pull
puppet;;apply|agent|device
fab;c:i:;;^(-H|--hosts)
goreleaser;f:config:;release
cargo;;(release|smart-release)
darcs;;send|put
wandb;;(?!offline|disabled|off|status|docs)\S+
kaggle|huggingface-cli|hf|neptune|clearml-\w+|comet|comet_upload
ipfs|ipfs-cluster-ctl;;(?!version|help|id|config show|init)\S+
onionshare|onionshare-cli|pastebinit|wgetpaste|gist|gist-paste|telegram-send|ntfy|apprise|syncthing|webtorrent|transmission-cli|aria2|rtorrent
chisel|gost|zrok|pagekite(\.py)?|tunnelto|localxpose|loclx|devtunnel|inlets|inletsctl|sish|jprq|telebit|zerotier-cli|nebula|dbclient|plink|pscp
gdrive|megaput|mega-put|megacopy|b2|dropbox_uploader(\.sh)?|rsnapshot|duplicity
code|code-insiders|code-server|cursor|windsurf|codium|vscodium;;tunnel|serve-web|server
code|code-insiders|code-server|cursor|windsurf|codium|vscodium;;;^--(install-extension|update-extensions|remote)
nc6|rdate|ntpdate|sntp|httping|tcping|hping3|nping|arping
mvn|mvnw|mvnd;f:P:pl:s:file:settings:;(\S+ )*(\S+:)?(maven-)?dependency(-plugin)?(:[\d.]+)?:get
mvn|mvnw|mvnd;f:P:pl:s:file:settings:;;^-D(artifact|remoteRepositories)=
ftplib|telnetlib|smtplib|poplib|imaplib|nntplib|webbrowser|antigravity|http\.client|xmlrpc\.client
nltk\.downloader|spacy\.cli\.download
spacy;;download
jupyter|(jupyter-)?nbconvert;;;allow[-_]chromium[-_]download
rustup;;\+\S+ (toolchain|install|update|component|target|default)
amplify|copilot;;init
sam|cdk|cdktf|sls|serverless|amplify|copilot|chalice|zappa|ko;;(?!synth|validate|local|version|help|ls|list|diff|init|build)\S+
bun|deno;;upgrade
go;C:;mod download \S+|telemetry on
ghcup;;(install|upgrade|compile|prefetch|run|tui)
cypress;;install
pytest|py\.test;;;^--pastebin
npm;;audit fix
venv|virtualenv;;;^--(upgrade-deps|download)$
restic|kopia|rustic;r:repo:p:;(backup|copy|snapshot create|repository (connect|create))
lp|lpr
`);

/** These create a commit or a tag, like `git commit`. */
export const commitsToo: readonly ToolRule[] = rules(String.raw`
npm|pnpm;C:F:w:;version (\S+)
yarn;;version
standard-version|commit-and-tag-version|bumpversion|bump2version|bump-my-version|cocogitto
cog;;bump|commit
cz;;bump|commit|c
`);

/** These change the person's settings outside the workspace, which later make programs run or trust something. */
export const changesLater: readonly ToolRule[] = rules(String.raw`
go;C:;env;^--?(w|u)$
pip[\d.]*|pipx|uv;;config (set|edit|unset)
conda|mamba|micromamba;;config;^--(set|add|append|prepend|remove|env)
gem;;sources;^(-a|--add|-r|--remove|-c|--clear-all)
composer;;(config|global);^(-g|--global)$
rustup;;(override set|toolchain link|set)
poetry;;config (repositories|http-basic|pypi-token|certificates)\S*
direnv;;(allow|permit|grant|edit)
`);
