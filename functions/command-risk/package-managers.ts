// Package managers and their subcommands that download named packages, and tools that projects install for themselves.
import type { ReadArguments } from "./options.ts";

export interface InstallVerb {
  /** Matched against the operands, joined by spaces. */
  pattern: RegExp;
  /** How many operands belong to the verb; packages follow. */
  words: number;
  /** Asks even if no package is named. */
  always?: boolean;
  /** Decides from the options whether to ask if no package is named. */
  asksAlone?: (read: ReadArguments) => boolean;
}

interface PackageManager {
  spec: string;
  verbs: InstallVerb[];
}

const node =
  "C:w:c:registry:workspace:prefix:filter:dir:cwd:cache:userconfig:tag:omit:include:loglevel:network-timeout:reporter:depth:modules-folder:target:";
const pip =
  "r:c:e:i:f:t:d:w:requirement:constraint:editable:index-url:extra-index-url:find-links:target:prefix:root:src:python:group:cache-dir:log:proxy:timeout:retries:platform:python-version:only-binary:no-binary:progress-bar:config-settings:extra:dest:wheel-dir:with:";
/** Whether the packages are for the whole machine, or newer than the project's files allow. */
const beyondProject = (read: ReadArguments) =>
  read.options.some(({ name }) => /^(-g|--global|-L|--latest)$/.test(name));
const verb = (words: string, taken = 1, always = false): InstallVerb => ({
  pattern: new RegExp(`^(${words})( |$)`),
  words: taken,
  always,
  asksAlone: beyondProject,
});

/**
 * Parses lines of the form `a|b [options]: words; words`: programs, their options with a value, and patterns of verbs.
 * `!` = asks even if no package is named.
 */
function simple(table: string): [string, PackageManager][] {
  return table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [, names = "", spec = "", verbs = ""] = /^(\S+?)(?: \[(.*)\])?: (.*)$/.exec(line) ?? [];
      const rules = verbs.split("; ").map((entry) => {
        const always = entry.endsWith("!");
        const words = always ? entry.slice(0, -1) : entry;
        return verb(words, words.split(" ").length, always);
      });
      return names.split("|").map((name): [string, PackageManager] => [name, { spec, verbs: rules }]);
    });
}

export const packageManagers: ReadonlyMap<string, PackageManager> = new Map<string, PackageManager>([
  [
    "npm",
    {
      spec: node,
      verbs: [
        verb(
          "i|in|ins|inst|insta|instal|install|isnt|isnta|isntal|isntall|add|install-test|it|update|up|upgrade|udpate|rebuild|rb",
        ),
        verb("init|create|innit|link|ln"),
      ],
    },
  ],
  ["pnpm", { spec: node, verbs: [verb("add|i|install|create|update|up|upgrade|env")] }],
  [
    "yarn",
    {
      spec: node,
      verbs: [verb("global add", 2), verb("add|create|init|upgrade|up|set version|plugin import", 1)],
    },
  ],
  ["bun", { spec: node, verbs: [verb("add|a|i|install|create|c|update")] }],
  [
    "deno",
    {
      spec: "c:n:config:name:import-map:root:allow-net?allow-read?",
      verbs: [
        verb("install|i|add|jupyter|x|create|update"),
        verb("(run|test|bench|serve|compile) (npm|jsr):\\S*"),
        verb("(cache|check|info|doc|bundle)( \\S+)* (npm|jsr):\\S*"),
        verb("(npm|jsr):\\S*", 0),
        {
          pattern: /^outdated( |$)/,
          words: 1,
          asksAlone: ({ options }) => options.some(({ name }) => /^(-u|--update)$/.test(name)),
        },
      ],
    },
  ],
  ["pip", { spec: pip, verbs: [verb("install|download|wheel")] }],
  [
    "uv",
    {
      spec: pip,
      verbs: [verb("pip install", 2), verb("add"), verb("python install", 2, true)],
    },
  ],
  ["pipenv", { spec: pip, verbs: [verb("install|upgrade")] }],
  [
    "poetry",
    { spec: "G:E:group:extras:source:P:C:", verbs: [verb("add"), verb("self (add|update)", 2, true)] },
  ],
  [
    "cargo",
    {
      spec: "p:F:j:Z:C:features:package:path:target:bin:profile:manifest-path:",
      verbs: [verb("(\\+\\S+ )?(install|add|binstall|generate)"), verb("install-update", 1, true)],
    },
  ],
  [
    "go",
    {
      spec: "o:p:C:mod:modfile:tags:ldflags:gcflags:",
      verbs: [{ pattern: /^(get|install|run) /, words: 1 }],
    },
  ],
  [
    "apt",
    {
      spec: "o:c:t:a:",
      verbs: [
        verb(
          "install|reinstall|remove|purge|autoremove|upgrade|full-upgrade|dist-upgrade|update|source|build-dep",
          1,
          true,
        ),
      ],
    },
  ],
  ...simple(`
pdm|rye|pixi: add; self add; exec; global install
pipx: install!; inject!; upgrade!; upgrade-all!
hatch: env create
conda|mamba|micromamba: install!; create!; update!; env create!
easy_install: \\S+!
gem: install; exec; fetch; unpack; update!
dnx|degit|tiged|giget: \\S+!
cookiecutter: (gh|gl|bb):\\S*!
copier|cruft: (copy|create|update)!
ng|vue|expo|cap|nuxi|astro: add; install
bundle: add; update
composer: require; create-project!; global require!; self-update!
brew: install; reinstall; upgrade!; tap; uninstall!; cask install
apt-get|aptitude: install!; remove!; purge!; upgrade!; dist-upgrade!; update!; source!; build-dep!; autoremove!
apk: add; del; upgrade!; update!
dnf|yum|microdnf: install!; remove!; update!; upgrade!; localinstall!
zypper: install!; in!; update!; remove!
port: install!; selfupdate!
snap: install!; remove!; refresh!
flatpak: install!; run!; update!
choco|winget|scoop: install!; upgrade!; uninstall!
nix: run; profile install; profile add
dotnet: add; tool install; tool update!; new install; workload install!
nuget: install!
mix: archive.install!; local.hex!; escript.install!
cabal|stack: install
opam: install!
luarocks: install!
cpan|cpanm: \\S+!
rustup: install!; toolchain (install|add); default; update!; component add; target add; self update!
guix: install!; upgrade!; pull!; package!; shell; environment; time-machine!; build
jbang|cs|coursier: install; launch; fetch; run; app install
n: \\S+!
corepack: (use|prepare|install|up)!
nvm|fnm|volta|asdf|pyenv|rbenv|nodenv|sdk|jabba: install!
mise|rtx: install!; use!; upgrade!
playwright: install!; install-deps!
ollama: pull!; run!
dx: (?!(serve|build|bundle|run|check|fmt|new|init|clean|translate|config|doctor|components|help)( |$))\\S+!
pod: install!; update!; repo (add|update)!; try!
carthage: bootstrap!; update!; checkout!
conan [v:pr:s:o:of:]: install!; download!; create!
vcpkg [triplet:vcpkg-root:overlay-ports:]: install!; upgrade!
nimble: install!; refresh!
dart|flutter: pub add; pub global activate!
sqlite-utils: install
`),
]);

/** Programs that install with an option instead of a verb. */
export const installOptions: ReadonlyMap<string, RegExp> = new Map([
  ["dpkg", /^(-i|--install|-r|-P|--remove|--purge|--unpack)$/],
  ["rpm", /^-[a-zA-Z]*[iUFe]|^--(install|upgrade|erase|import)/],
  ["pacman", /^-[a-zA-Z]*[SUR]|^--(sync|upgrade|remove)/],
  ["nix-env", /^-[a-zA-Z]*[iue]|^--(install|upgrade|uninstall)/],
  ["nix-shell", /^(-p|--packages)$/],
]);

/** Development tools that projects install for themselves, so that `npx` only starts them. */
export const everydayTools: ReadonlySet<string> = new Set(
  `vitest jest mocha ava tap c8 nyc karma jasmine uvu playwright cypress wdio tsc tsx ts-node tsd tsup vue-tsc svelte-check
  eslint prettier biome oxlint oxfmt xo standard stylelint dprint knip size-limit publint attw madge depcheck ts-prune cspell
  markdownlint markdownlint-cli2 commitlint lint-staged changeset typedoc jsdoc esbuild vite rollup webpack rolldown parcel
  turbo nx lerna swc babel next nuxt nuxi astro remix gatsby ng react-scripts react-native expo svelte-kit storybook vitepress
  docusaurus eleventy prisma drizzle-kit sequelize knex typeorm mikro-orm tailwindcss postcss sass less terser wrangler miniflare
  nodemon concurrently rimraf del-cli mkdirp cpy shx npm-run-all npm-run-all2 run-s run-p wait-on
  start-server-and-test kill-port gulp grunt node-gyp graphql-codegen openapi-typescript buf tsc-alias resolve-bin
  lighthouse pa11y axe patch-package syncpack sort-package-json serverless`.split(/\s+/),
);
