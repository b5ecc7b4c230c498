// Git's verbs, their options that take a value, and the settings and options whose value git runs. Data.

/** Verbs that destroy nothing, or that are judged by their options. Any other verb may be an alias for anything. */
export const knownVerbs: ReadonlySet<string> = new Set(
  `add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout cherry
  cherry-pick clean clone commit commit-tree config count-objects describe diff diff-files diff-index diff-tree difftool fast-export fetch
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
/** Options that prevent the commit, or end an operation in progress. */
export const leavesCommit = /^(-n|--no-commit|--abort|--quit|--squash|--dry-run|--ff-only)$/;

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
  "c:C:git-dir:work-tree:namespace:attr-source:config-env:super-prefix:exec-path?html-path man-path info-path p P paginate no-pager bare no-replace-objects literal-pathspecs no-optional-locks no-advice list-cmds:version help h v";

/** Options with a value, and the full names that an abbreviation may mean, by verb. */
export const verbOptions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    push: "o:push-option:repo:exec:receive-pack:force-with-lease?signed?recurse-submodules?dry-run no-dry-run n force delete all mirror tags",
    clean: "e:exclude:n dry-run no-dry-run i interactive f force d x X q quiet",
    restore: "s:source:U:conflict:pathspec-from-file:S W staged worktree no-staged ours theirs merge patch",
    checkout:
      "b:B:orphan:conflict:t?track?pathspec-from-file:ours theirs force detach merge patch quiet guess no-guess recurse-submodules overlay no-overlay",
    rm: "pathspec-from-file:cached force n dry-run r f q quiet ignore-unmatch",
    config:
      "f:file:blob:type:default:t:value:comment:global system local worktree get get-all get-regexp get-urlmatch get-color get-colorbool list unset unset-all add replace-all rename-section remove-section edit name-only show-origin show-scope null bool int path",
    commit:
      "m:F:c:C:t:S?u?message:file:author:date:template:cleanup:fixup:squash:reuse-message:reedit-message:trailer:pathspec-from-file:amend all no-verify no-edit allow-empty dry-run",
    diff: "output:O:S:G:U:l:stat?ext-diff",
    fetch:
      "o:j:refmap:upload-pack:depth:deepen:shallow-since:shallow-exclude:server-option:negotiation-tip:filter:recurse-submodules?jobs:force prune update-head-ok all append dry-run multiple tags prune-tags porcelain",
    pull: "s:X:S?j:strategy:strategy-option:depth:upload-pack:refmap:rebase?force prune update-head-ok all dry-run ff-only",
    bundle: "version:quiet progress all-progress",
    submodule: "b:reference:depth:name:branch:jobs:j:force init recursive remote checkout merge rebase",
    archive: "o:output:format:prefix:remote:exec:add-file:worktree-attributes",
    rebase: "x:exec:onto:s:X:S?strategy:strategy-option:",
    branch:
      "u:set-upstream-to:contains:no-contains:merged?no-merged?points-at:sort:format:delete force move copy",
    worktree: "b:B:reason:force expire:porcelain lock",
  }),
);

/** Settings whose value git runs as a command, or that change which server it talks to. */
export const riskySetting =
  /^(alias\.|core\.(sshcommand|editor|pager|fsmonitor|hookspath|askpass|gitproxy|worktree|alternaterefscommand|attributesfile)|credential\.|diff\.(external|.*\.(command|textconv))|(diff|merge)tool\.|guitool\.|merge\..*\.driver|filter\.|gpg\.|pager\.|include|sequence\.editor|protocol\.|uploadpack\.|remote\..*\.(receivepack|uploadpack|proxy|vcs|url|pushurl|fetch|push|mirror|promisor|partialclonefilter)|url\.|http\.(.*\.)?(proxy|sslverify|cookiefile|extraheader|sslcert|sslkey)|submodule\..*\.(update|url)|interactive\.difffilter|browser\.|man\.|help\.browser|web\.browser|instaweb\.|sendemail\.|imap\.|tar\.|trailer\.|init\.templatedir|safe\.(directory|barerepository)|clean\.requireforce|extensions\.|lfs\.)/i;

/** Options and addresses of any verb that name a program; git accepts abbreviated options. */
export const runsProgram =
  /^(--(exec-path=|upl?o?a?d?-?p?\w*|receive-?p?\w*|rece\w*|extc\w*|ext|open-files\S*|exec\b|exe|ex(?=$|=)|op[a-z]*(?=$|=)|ext-d\w*|textconv|templ\w*|unsafe-\w*)|ext::|fd::|-O.|-[a-z]*O[a-z]|--no-index-filter)/;
