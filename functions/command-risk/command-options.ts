// Options whose value a program runs as a command line, by program. Data from the programs' manuals.

export interface CommandOption {
  /** Options in the form that `readArguments` takes. */
  spec: string;
  /** Options whose value is run. */
  run: ReadonlySet<string>;
}

/** `PROGRAM RUN-OPTIONS|OTHER OPTIONS WITH A VALUE` */
const table = `
tar -I --use-compress-program -F --info-script --new-volume-script --to-command --checkpoint-action --rsh-command --rmt-command|f:C:T:X:file:directory:exclude:transform:
bsdtar --use-compress-program|
zip -TT --unzip-command|b:i:x:n:t:
rsync -e --rsh --rsync-path|f:B:exclude:include:exclude-from:filter:
script -c --command|I:O:B:T:E:o:
bat --pager|
ag --pager|
ack --pager|
deno --eval|
bazel --run_under|
batcat --pager|
delta --pager|
nix-shell --run --command|
split --filter|
sort --compress-program|
tcpdump -z|r:w:i:c:C:G:W:s:
mapfile -C|c:d:n:O:s:u:t
readarray -C|c:d:n:O:s:u:t
complete -C -F|A:G:W:P:S:X:o:
compgen -C -F|A:G:W:P:S:X:o:
nodemon --exec -x|e:w:i:ext:watch:ignore:delay:config:
rg --pre --hostname-bin|g:t:T:e:f:A:B:C:m:M:j:E:r:glob:type:regexp:context:max-count:
fzf --preview --bind --with-shell|
go -exec -toolexec -vettool|
chokidar -c --command|t:d:i:throttle:debounce:ignore:
tsup --onSuccess|
tsc-watch --onSuccess --onFailure --onFirstSuccess --onCompilationComplete --onCompilationStarted|
watchmedo -c --command|p:patterns:D:
watchman-make --run -t --target|p:root:
when-changed -c|
mise -c --command|
npm -c --call --script-shell --editor --shell --init-module --userconfig --globalconfig|w:p:registry:workspace:package:prefix:
npx -c --call|
pnpm -c --shell-mode --script-shell|C:F:filter:dir:
start-stop-daemon -x --exec -a --startas|p:n:u:g:c:r:d:k:pidfile:name:user:chuid:chdir:
strace -o|
ld --plugin|
gcc -wrapper|
g++ -wrapper|
ctags --options|
pytest -p --pdbcls|k:m:n:c:o:r:W:rootdir:ignore:
cargo --config|
make -E --eval|C:f:j?I:W:o:l?directory:file:makefile:include-dir:jobs?
gmake -E --eval|C:f:j?I:directory:file:makefile:
`;

export const commandOptions: ReadonlyMap<string, CommandOption> = new Map(
  table
    .trim()
    .split("\n")
    .map((line) => {
      const [head = "", other = ""] = line.split("|");
      const [name = "", ...run] = head.trim().split(/\s+/);
      const own = run.map((option) => `${option.replace(/^-+/, "")}:`);
      return [name, { spec: `${own.join("")}${other}`, run: new Set(run) }] as const;
    }),
);

/** Programs that start others. Whatever their arguments are, they run text that is not shown, or they need a person. */
export const interactive = new Set(
  "lf vifm yazi broot xplr joshuto clifm hx helix kak kakoune tig lazygit gitui vim vi nvim view vimdiff gvim ex ed red rvim emacs emacsclient nano pico joe micro mc ranger nnn screen tmux expect gdb lldb su sg newgrp".split(
    " ",
  ),
);

/** Programs that run every operand as a command line. */
export const runsOperands = new Set(
  "pee mispipe hyperfine concurrently npm-run-all start-server-and-test bench".split(" "),
);

/** Variables whose value some program runs as a command. */
export const hookVariable =
  /^([A-Z_]*(COMMAND|EDITOR|PAGER|ASKPASS|LESSOPEN|LESSCLOSE|RSH)|((GH|GLAB|R|HUB)_)?BROWSER|VISUAL|(GIT|SVN)_SSH|GIT_EXTERNAL_DIFF|RUSTC(_WORKSPACE)?(_WRAPPER)?|CARGO_BUILD_RUSTC\w*|npm_config_script_shell|NPM_CONFIG_SCRIPT_SHELL|npm_config_editor|PS[0-4]|MANROFFOPT)$/;
/** Usual, harmless values of those variables. */
export const harmlessHook = /^(cat|less( -\w+)?|more|true|:|echo|code --wait|code -w)$/;

/** Variables that make programs load code, or settings that name code. */
export const loaderVariable =
  /^(LD_(PRELOAD|AUDIT|LIBRARY_PATH)|DYLD_\w+|BASH_(ENV|CMDS|ALIASES)|ENV|ZDOTDIR|PYTHONSTARTUP|PYTHONHOME|PYTHON(INSPECT|BREAKPOINT)|PERL5OPT|PERL5DB|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|LUA_INIT\w*|GIT_(EXEC_PATH|TEMPLATE_DIR|CONFIG\w*|DIR|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|ALLOW_PROTOCOL|PROTOCOL_FROM_USER|SSL_NO_VERIFY|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|REDIRECT_STD\w+)|PSQLRC|INPUTRC|LESSKEY(IN)?|GCC_EXEC_PREFIX|COMPILER_PATH|GOTOOLDIR|YARN_(YARN_PATH|RC_FILENAME)|PIP_CONFIG_FILE|HGRCPATH|RIPGREP_CONFIG_PATH|BASH_FUNC_\w+%%|TAR_OPTIONS|SHELLOPTS|BASHOPTS|GCONV_PATH|OPENSSL_CONF|OPENSSL_ENGINES|PHPRC|PHP_INI_SCAN_DIR|NODE_PATH_HOOK|CARGO_TARGET_\w+_(RUNNER|LINKER))$/;
/** Those loader variables that name one file. With `/dev/null`, nothing is loaded. */
export const settingsFile = /RC(PATH)?$|^(RIPGREP|PIP)_CONFIG_|^GIT_CONFIG_(GLOBAL|SYSTEM)$/;
/** Variables that name a compiler or another tool; a value known only at run time is normal for them. */
export const toolVariable = /^(CC|CXX|CPP|LD|AR|AS|MAKE|CARGO)$/;
/** Variables that contain options, and the options that load code. */
export const optionVariables: readonly [RegExp, RegExp][] = [
  [
    /^NODE_OPTIONS$/,
    /(^|\s)['"]?(-r|--require|--import|--(experimental-)?loader|--inspect\S*|--openssl-config|--env-file)\b/,
  ],
  [/^(MAKEFLAGS|GNUMAKEFLAGS|MFLAGS)$/, /eval|SHELL|-[a-zA-Z]*[fCI]/],
  [/^(GOFLAGS|CGO_\w+)$/, /exec|vettool|plugin|@/],
  [/^RUSTFLAGS$/, /linker|link-arg/],
  [/^(CFLAGS|CXXFLAGS|LDFLAGS)$/, /-wrapper|-fplugin/],
  [/^(PYTEST_ADDOPTS)$/, /-p\s|pdbcls/],
  [/^(LESS|MORE|GREP_OPTIONS)$/, /!|\+/],
  [/^(MAVEN|GRADLE|JAVA|SBT)_OPTS$/, /agent/],
  [/^FZF_DEFAULT_OPTS$/, /preview|bind|shell/],
  [toolVariable, /sh\b|^(\.|…|\$\{?(OLD)?PWD)|\$\{[^}]*[-=+/]\.\.?\\?\/|\/tmp/],
];
