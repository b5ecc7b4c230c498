// Git's verbs, their options that take a value, and the settings and options whose value git runs. Data.

/** Verbs that destroy nothing, or that are judged by their options. Any other verb may be an alias for anything. */
export const knownVerbs: ReadonlySet<string> = new Set(
  `add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout cherry
  cherry-pick clean clone commit commit-tree count-objects describe diff diff-files diff-index diff-tree fast-export fetch
  fmt-merge-msg for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object help init interpret-trailers lfs log ls-files ls-remote
  ls-tree mailinfo maintenance merge merge-base merge-file merge-tree mv name-rev notes patch-id pull range-diff read-tree reflog remote
  reset restore rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace
  submodule switch symbolic-ref tag update-index var verify-commit verify-tag version whatchanged worktree write-tree`.split(
    /\s+/,
  ),
);

/** Verbs that discard history, whatever their options are. */
export const rewrites: ReadonlySet<string> = new Set(
  "rebase filter-branch filter-repo update-ref prune prune-packed replace fast-import pack-refs repack unpack-objects".split(
    " ",
  ),
);
/** Verbs that create a commit unless an option prevents it. */
export const makesCommits = /^(commit|cherry-pick|revert|am|merge)$/;
/** Options that prevent the commit, or end an operation in progress. `-n` of other verbs has another meaning. */
export const leavesCommit =
  /^((cherry-pick|revert) -n|\S+ (--no-commit|--abort|--quit|--squash|--dry-run|--ff-only))$/;

/** Verbs that send to another repository or machine. */
export const sends: ReadonlySet<string> = new Set(
  "push send-email request-pull send-pack http-push svn p4 imap-send cvsserver daemon instaweb http-backend upload-archive".split(
    " ",
  ),
);
/** Verbs that run programs named by settings, or that print git's secrets. */
export const runsOrTells: ReadonlySet<string> = new Set(
  "difftool mergetool hook credential credential-store credential-cache gui gitk citool web--browse mergetool--lib upload-pack receive-pack http-fetch fetch-pack shell remote-ext remote-fd bugreport diagnose".split(
    " ",
  ),
);

/** Options of git itself, before the verb. */
export const ownOptions =
  "c:C:git-dir:work-tree:namespace:attr-source:config-env:super-prefix:exec-path?list-cmds:";

/** Options with a value, and the full names that an abbreviation may mean, by verb. */
export const verbOptions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    push: "o:push-option:repo:exec:receive-pack:force-with-lease?signed?recurse-submodules?",
    clean: "e:exclude:",
    restore: "s:source:U:conflict:pathspec-from-file:staged worktree no-staged",
    checkout: "b:B:orphan:conflict:t?track?pathspec-from-file:detach",
    rm: "pathspec-from-file:cached",
    config: "f:file:blob:type:default:t:value:comment:global system edit",
    fetch:
      "o:j:refmap:upload-pack:depth:deepen:shallow-since:shallow-exclude:server-option:negotiation-tip:filter:recurse-submodules?jobs:force prune update-head-ok",
    pull: "s:X:S?j:strategy:strategy-option:depth:upload-pack:refmap:rebase?force prune update-head-ok",
    bundle: "version:",
    submodule: "b:force",
    archive: "o:output:format:prefix:remote:exec:add-file:",
    rebase: "x:exec:onto:s:X:S?strategy:strategy-option:",
  }),
);

/** Settings whose value git runs as a command, or that change which server it talks to. */
export const riskySetting =
  /^(alias\.|core\.(sshcommand|editor|pager|fsmonitor|hookspath|askpass|gitproxy|worktree|alternaterefscommand|attributesfile)|credential\.|diff\.(external|.*\.(command|textconv))|(diff|merge)tool\.|guitool\.|merge\..*\.driver|filter\.|gpg\.|pager\.|include|sequence\.editor|protocol\.|uploadpack\.|remote\..*\.(receivepack|uploadpack|proxy|vcs|url|fetch|push|mirror|promisor|partialclonefilter)|url\.|http\.(.*\.)?(proxy|sslverify|cookiefile|extraheader|sslcert|sslkey)|submodule\..*\.(update|url)|interactive\.difffilter|browser\.|man\.|help\.browser|web\.browser|instaweb\.|sendemail\.|imap\.|tar\.|trailer\.|init\.templatedir|safe\.(directory|barerepository)|clean\.requireforce|extensions\.|lfs\.|gc\.(.*expire|recentobjectshook)|hook\.|bundle\.|fetch\.bundleuri|remote\.pushdefault|branch\..*\.(push)?remote|push\.pushoption|color\.pager|commit\.template|format\.signaturefile)/i;

/** Options and addresses of any verb that name a program; git accepts abbreviated options. */
export const runsProgram =
  /^(--(up?(?=$|=)|upl|rece|ext|exe|ex(?=$|=)|open-files|op[a-z]*(?=$|=)|textconv|templ|unsafe-)|ext::|fd::|-O.|-[a-z]*O[a-z]|--no-index-filter)/;
