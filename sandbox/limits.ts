// Every limit of the sandbox server, once, with its reason. `capabilities` shows them.

/** A text file read or edited whole: 200,000 lines of 80 characters. Hashline keeps up to 16 contents of it. */
export const fileBytes = 16 * 1024 * 1024;
/** Rows and characters of one `read`: what a tool message can carry (16 KB) with room to spare. */
export const readRows = 2_000;
export const readChars = 128 * 1024;
/** One row longer than this is cut in the middle of a listing (minified code). */
export const lineChars = 2_000;
export const listEntries = 500;
export const listEntriesMax = 5_000;
/** Entries looked at by one walk before it stops with `truncated`. */
export const walkEntries = 250_000;
/** Folders looked at for repositories before and after a command that writes: 8 µs each. Ten large node_modules. */
export const scanFolders = 400_000;
/** Repositories with parts held one by one: 10 mounts each, of the 3,000 that fit into bubblewrap's arguments. */
export const heldRepositories = 100;
/** Repositories beyond that are read-only as a whole, and editors' folders and sockets: a mount each. */
export const heldEntries = 1_000;
/**
 * Entries taken out of a workspace are kept for the person up to this size, and then the oldest are dropped. Entries
 * that may be the person's are counted separately.
 */
export const takenOutEntries = 200;
export const takenOutBytes = 64 * 1024 * 1024;
/** Entries of one thing that was taken out, looked at for what git or an editor would run: lists stay quick. */
export const takenOutLooked = 2_000;
/** Configuration of a repository that a command made: people's have a few KiB. A larger one is taken out whole. */
export const gitConfigBytes = 256 * 1024;
/** Ignored files and folders that a copy of an earlier tree shows: a mount each; a monorepo has some dozens. */
export const copyIgnored = 200;
/** Characters of those paths and of `.git`'s in the jail: one check has to hold them, with all else that is shown there. */
export const copyShownChars = 40_000;
/** Files named after a restore: the model reads them, and more than some dozens nobody does. */
export const restoredNames = 200;
/** A folder counts as in use for this long after another session was made or worked in there: longer than a lunch. */
export const inUseMs = 2 * 60 * 60_000;
export const searchMatches = 100;
export const searchMatchesMax = 1_000;
export const searchMs = 20_000;
export const execTimeoutMs = 120_000;
export const execTimeoutMaxMs = 600_000;
export const execOutputBytes = 256 * 1024;
export const execOutputMaxBytes = 4 * 1024 * 1024;
/** Commands of one sandbox in the background at a time: a server, a watcher, a long test, and one more. */
export const backgroundCommands = 4;
/** Those that ended and can still be read. */
export const backgroundEnded = 8;
/** One ends by itself after a long working day, kept or not. */
export const backgroundMs = 12 * 60 * 60_000;
/** What such a command printed and nobody has read: of more, the newest is kept. */
export const backgroundOutputChars = 256 * 1024;
/** How long its start waits for its first words: errors come at once, and so do many servers' addresses. */
export const backgroundStartMs = 1_000;
/** Processes and threads of one command: far above a parallel build, far below what a machine can hold (32,768). */
export const execTasks = 2_048;
/** Process ids that the kernel leaves to one jail, if it can: the above, and 300 that it does not hand out twice. */
export const execTaskIds = 2_048 + 512;
/**
 * Share of the processor if it is scarce; what a person runs has 100.
 * https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu
 */
export const execCpuWeight = 50;
/** The kernel's limit on processes and threads of one user: what a desktop has, and what a command may, twice. */
export const userProcesses = 8_192;
/** Share of the machine's memory for one command unless the person says otherwise, so that the server can continue. */
export const execMemoryShare = 0.6;
/** Each of the folders in memory that a command has to itself, `/tmp` the first of them. */
export const execTmpBytes = 1024 * 1024 * 1024;
/** Command lines that may use the network once and were not run yet: a person allows a few. */
export const netOnce = 20;
/** Connections that one command may hold open through the proxy: npm takes 50, a browser 256. */
export const netConnections = 256;
/** All headers of one proxied request or answer: Node's own default is 16 KiB, cookies and tokens take a few. */
export const netHeaderBytes = 32 * 1024;
/** How long headers, or the beginning of TLS, may take to arrive. */
export const netHeadersMs = 20_000;
/** How long one address is tried. */
export const netConnectMs = 10_000;
/** How long a proxied connection may be silent in both directions: a registry packs a large answer first. */
export const netIdleMs = 5 * 60_000;
/** What one command may send and receive through the proxy: above any install, below a disk. */
export const netBytes = 20 * 1024 * 1024 * 1024;
/** Refused hosts named in one result; a command that tries more is scanning. */
export const netRefusals = 20;
/** Hosts that a person allowed one sandbox. */
export const netAllowed = 200;
/**
 * What one sandbox may write unless the person says otherwise: dependencies and builds of a large project several
 * times over, and far from the whole of a disk, which a night's loop would fill.
 */
export const diskQuotaBytes = 16 * 1024 * 1024 * 1024;
/** Files and folders of one sandbox: an ext4 disk has one for each 16 KiB, so this is its share of a quota of that size. */
export const diskFiles = 1_000_000;
/** What a command may make that begins above that: tools that delete make a few first. */
export const overQuotaFiles = 1_000;
/** What a command may write that begins above the quota: tools that delete write a little first. */
export const overQuotaBytes = 64 * 1024 * 1024;
/** What a file is charged beside its content: a disk can run out of files as well. */
export const inodeBytes = 1_024;
/** How long one measurement of a folder is believed while free space does not speak against it. */
export const diskMeasureMs = 600_000;
/** How long the walk through a folder may take; a million files take some seconds. */
export const diskWalkMs = 60_000;
/** One argument of a program holds at most 128 KiB on Linux. */
export const commandBytes = 100 * 1024;
export const gitOutputBytes = 256 * 1024;
export const diffBytes = 1024 * 1024;
/** Difference of one changed file in the answer: a line of 5 MB would be in it twice, and in the journal. */
export const changeDiffChars = 256 * 1024;
/** Body of one request: several files of the size above. */
export const requestBytes = 32 * 1024 * 1024;
/** Levels of a JSON body: what walks through one calls itself. An event of a plan has about ten. */
export const jsonDepth = 200;
/** One answer of `file` without or with a range. */
export const fileResponseBytes = 64 * 1024 * 1024;
/** An archive, packed as it is sent and unpacked as it is written. */
export const archiveBytes = 256 * 1024 * 1024;
export const archiveEntries = 50_000;
/** Text packs to a tenth; what unpacks to more than this many times itself is a bomb. Up to 1 MiB is let through. */
export const archiveRatio = 200;
/** Contents kept of one file, so that an edit with an older base can still be placed. */
export const versionsPerFile = 16;
/** All contents kept for one workspace folder; the oldest used go first. */
export const versionBytes = 64 * 1024 * 1024;
/**
 * What the state folder may take, workspaces aside: years of journals (a long turn has 1 MB) and the snapshots of some
 * large repositories, and little enough that a full one is not what fills the disk.
 */
export const stateBytes = 8 * 1024 * 1024 * 1024;
/** From here on the person is warned: the last fifth lasts weeks of ordinary work. */
export const stateWarnShare = 0.8;
/** What has to be written before it is worth looking again for what can be freed. */
export const stateFreeBytes = 1024 * 1024;
/** How long a measurement is trusted while little is written; measuring takes 20 ms. */
export const stateMeasureMs = 60_000;
/** Up to here it is believed after snapshots too: what they write shows in the disk's free space, unless others free some. */
export const stateRoomyShare = 0.5;
/** How often it is looked for snapshots to be packed, while nothing runs. */
export const packEveryMs = 60_000;
/** Loose objects take a block of the disk each: 2 MB of them are worth a second of packing. */
export const packLooseObjects = 500;
/** git asks each pack for each object; from here on all become one. */
export const packFiles = 12;
/** What packing may hold in memory beside its result. */
export const packMemoryBytes = 64 * 1024 * 1024;
/** A repository of some gigabytes takes some minutes. */
export const packMs = 15 * 60_000;
/** Snapshots of which it is known what others had done by then: more than anybody goes back by. 100 bytes each. */
export const ownPoints = 500;
/** Edits noted before the folder is looked at for them: their contents are kept until then. */
export const ownEdits = 100;
/** Files whose contents are merged at a time; more change on both sides only after a branch was switched. */
export const mergedFiles = 100;
/** A request of a turn, compressed: the edge takes 8 MB of it, and images become no smaller. Gone with the turn's end. */
export const postedBytes = 9 * 1024 * 1024;
export const waitMs = 25_000;
export const pingMs = 8_000;
/** A runner with a broken stream has this long to reconnect before the turn counts as run by nobody. */
export const unattendedMs = 1_000;
/** The newest turns of a sandbox are kept whole whoever has them: what people still look up, a few megabytes. */
export const wholeTurns = 50;
/** The same for days of calls outside turns. */
export const wholeDays = 7;
/** How much of a journal is read at a time, so that many slow readers of a long one cost little. */
export const journalReadBytes = 256 * 1024;
/** Part of a history in one answer: compressed, it takes a phone's connection a second. One event may be longer. */
export const historyChars = 1024 * 1024;
/** Sessions in one part of the list. */
export const listedSessions = 100;
