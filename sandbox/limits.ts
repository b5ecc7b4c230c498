// Every limit of the sandbox server, each with its reason.

/**
 * A text file that is read or edited as a whole: 200,000 lines of 80 characters. Hashline keeps up to 16
 * versions of it.
 */
export const fileBytes = 16 * 1024 * 1024;
/** Rows and characters of one `read`: more than a tool message can carry (16 KB). */
export const readRows = 2_000;
export const readChars = 128 * 1024;
/** A longer row is cut in the middle in a listing (minified code). */
export const lineChars = 2_000;
export const listEntries = 500;
export const listEntriesMax = 5_000;
/** Entries that one walk looks at before it stops with `truncated`. */
export const walkEntries = 250_000;
/**
 * Folders searched for repositories before and after a command that writes: 8 µs each. Enough for ten large
 * node_modules.
 */
export const scanFolders = 400_000;
/**
 * Repositories whose parts are held one by one: 10 mounts each, of the 3,000 that fit into bubblewrap's
 * arguments.
 */
export const heldRepositories = 100;
/**
 * Repositories beyond that are read-only as a whole. They, editors' folders and sockets take one mount each.
 */
export const heldEntries = 1_000;
/**
 * Entries taken out of a workspace are kept for the person up to this size; then the oldest are deleted.
 * Entries that may be the person's are counted separately.
 */
export const takenOutEntries = 200;
export const takenOutBytes = 64 * 1024 * 1024;
/**
 * How many files of one entry that was taken out are searched for things that git or an editor would run.
 * This keeps lists quick.
 */
export const takenOutLooked = 2_000;
/**
 * The configuration of a repository that a command made. People's have a few KiB. A larger one is taken out
 * whole.
 */
export const gitConfigBytes = 256 * 1024;
/**
 * Ignored files and folders that a copy of an earlier tree shows: one mount each. A monorepo has a few dozen.
 */
export const copyIgnored = 200;
/**
 * Characters of the paths of those ignored files and of the files of `.git` that the jail shows: a single
 * command line, which checks all mounts, has to contain them.
 */
export const copyShownChars = 40_000;
/**
 * Files named after a restore. The model reads this list, and a person reads no more than a few dozen names.
 */
export const restoredNames = 200;
/**
 * How long a folder counts as in use after another session was made or worked there: longer than a lunch
 * break.
 */
export const inUseMs = 2 * 60 * 60_000;
export const searchMatches = 100;
export const searchMatchesMax = 1_000;
export const searchMs = 20_000;
export const execTimeoutMs = 120_000;
export const execTimeoutMaxMs = 600_000;
export const execOutputBytes = 256 * 1024;
export const execOutputMaxBytes = 4 * 1024 * 1024;
/** Background commands of one sandbox at a time: a server, a watcher, a long test, and one more. */
export const backgroundCommands = 4;
/** Ended background commands that can still be read. */
export const backgroundEnded = 8;
/** A background command is ended after a long working day, whether the person keeps it or not. */
export const backgroundMs = 12 * 60 * 60_000;
/** Unread output of a background command. If there is more, only the newest is kept. */
export const backgroundOutputChars = 256 * 1024;
/**
 * How long the start of a background command waits for its first output: errors come at once, and so do the
 * addresses of many servers.
 */
export const backgroundStartMs = 1_000;
/**
 * Processes and threads of one command: far above a parallel build, far below what a machine can hold
 * (32,768).
 */
export const execTasks = 2_048;
/**
 * Process ids in the PID namespace of one jail, where the kernel can limit them: `execTasks`, the 300 that
 * the kernel reserves, and some room.
 */
export const execTaskIds = 2_048 + 512;
/**
 * Weight of a command when the processor is busy; a person's own programs have 100.
 * https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu
 */
export const execCpuWeight = 50;
/**
 * The kernel's limit on processes and threads of one user: twice what a desktop and one command need
 * together.
 */
export const userProcesses = 8_192;
/**
 * Share of the machine's memory for one command unless the person sets another, so that the server can
 * continue.
 */
export const execMemoryShare = 0.6;
/** Size of each in-memory folder of a command, such as `/tmp`. */
export const execTmpBytes = 1024 * 1024 * 1024;
/**
 * Command lines that were allowed to use the network once and have not run yet. A person allows only a few.
 */
export const netOnce = 20;
/** Connections that one command may hold open through the proxy: npm uses 50, a browser 256. */
export const netConnections = 256;
/**
 * All headers of one proxied request or answer. Node's own default is 16 KiB, of which cookies and tokens
 * take a few.
 */
export const netHeaderBytes = 32 * 1024;
/** How long headers, or the beginning of TLS, may take to arrive. */
export const netHeadersMs = 20_000;
/** How long to try each address. */
export const netConnectMs = 10_000;
/**
 * How long a proxied connection may be silent in both directions: a registry may pack a large answer first.
 */
export const netIdleMs = 5 * 60_000;
/**
 * Bytes that one command may send and receive through the proxy: more than any installation, less than a
 * disk.
 */
export const netBytes = 20 * 1024 * 1024 * 1024;
/** Refused hosts named in one result. A command that tries more is scanning. */
export const netRefusals = 20;
/** Hosts that a person may allow for one sandbox. */
export const netAllowed = 200;
/**
 * Bytes that one sandbox may write unless the person sets another limit: several times the dependencies and
 * builds of a large project, and far less than a whole disk, which a loop that runs all night would fill.
 */
export const diskQuotaBytes = 16 * 1024 * 1024 * 1024;
/**
 * Files and folders of one sandbox. An ext4 disk has one inode for each 16 KiB, so this is the share of a
 * quota of that size.
 */
export const diskFiles = 1_000_000;
/** Files that a command may make if it begins above that limit: tools that delete files first make a few. */
export const overQuotaFiles = 1_000;
/**
 * Bytes that a command may write if it begins above the quota: tools that delete files first write a little.
 */
export const overQuotaBytes = 64 * 1024 * 1024;
/** The bytes that a file counts besides its content, because a disk can run out of inodes too. */
export const inodeBytes = 1_024;
/** How long one measurement of a folder is trusted if the disk's free space does not contradict it. */
export const diskMeasureMs = 600_000;
/** The same while a command runs, which may take what others free. */
export const diskWatchMs = 10_000;
/** At least as long for each file: some twenty times what the walk takes for one on an idle machine. */
export const diskFileMs = 0.2;
/** How long the walk through a folder may take. A million files take a few seconds. */
export const diskWalkMs = 60_000;
/** One argument of a program holds at most 128 KiB on Linux. */
export const commandBytes = 100 * 1024;
export const gitOutputBytes = 256 * 1024;
export const diffBytes = 1024 * 1024;
/**
 * The difference of one changed file in an answer: a line of 5 MB would be in it twice, and in the journal.
 */
export const changeDiffChars = 256 * 1024;
/** The body of one request: several files of the size above. */
export const requestBytes = 32 * 1024 * 1024;
/** Levels of a JSON body, because our walks through one are recursive. An event of a plan has about ten. */
export const jsonDepth = 200;
/** Elements and entries in a JSON body together. A request with a long record has some thousands. */
export const jsonValues = 250_000;
/** One answer of `file`, with or without a range. */
export const fileResponseBytes = 64 * 1024 * 1024;
/** An archive: both its packed size as sent and its unpacked size. */
export const archiveBytes = 256 * 1024 * 1024;
export const archiveEntries = 50_000;
/**
 * Text compresses to a tenth. An archive that unpacks to more than this many times its size is a bomb. Up to
 * 1 MiB is always allowed.
 */
export const archiveRatio = 200;
/** Versions kept of one file, so that an edit based on an older one can still be placed. */
export const versionsPerFile = 16;
/** All versions kept for one workspace folder. The least recently used are deleted first. */
export const versionBytes = 64 * 1024 * 1024;
/**
 * Bytes of the state folder without workspaces: years of journals (a long turn has 1 MB) and the snapshots of
 * a few large repositories, yet too little to fill a disk.
 */
export const stateBytes = 8 * 1024 * 1024 * 1024;
/** Share of that limit above which the person is warned. The last fifth lasts for weeks of ordinary work. */
export const stateWarnShare = 0.8;
/** Bytes that must be written before another attempt to free space is worthwhile. */
export const stateFreeBytes = 1024 * 1024;
/** How long a measurement is trusted while little is written. Measuring takes 20 ms. */
export const stateMeasureMs = 60_000;
/**
 * Share of the limit up to which a measurement is trusted even after snapshots. What they write shows as less
 * free space on the disk, unless other programs free some.
 */
export const stateRoomyShare = 0.5;
/** How often the server, while idle, looks for snapshots to pack. */
export const packEveryMs = 60_000;
/** Each loose object takes a disk block. 2 MB of them are worth a second of packing. */
export const packLooseObjects = 500;
/** git searches every pack for each object. From this number on, all packs are merged into one. */
export const packFiles = 12;
/** Memory that packing may use besides its result. */
export const packMemoryBytes = 64 * 1024 * 1024;
/** Packing a repository of a few gigabytes takes some minutes. */
export const packMs = 15 * 60_000;
/**
 * Snapshots for which the changes of others until then are recorded: further back than anybody goes. 100
 * bytes each.
 */
export const ownPoints = 500;
/** Edits recorded before the folder is searched for them. Their contents are kept until then. */
export const ownEdits = 100;
/** Files whose contents are merged at a time. Both sides change more only when a branch was switched. */
export const mergedFiles = 100;
/**
 * The compressed request of a turn: the edge accepts 8 MB, and images compress no further. Deleted when the
 * turn ends.
 */
export const postedBytes = 9 * 1024 * 1024;
export const waitMs = 25_000;
export const pingMs = 8_000;
/**
 * How long a runner whose stream broke may take to reconnect before the turn counts as one without a runner.
 */
export const unattendedMs = 1_000;
/**
 * The newest turns of a sandbox are kept in full, even if a client has copied them: people still look these
 * up, and they take a few megabytes.
 */
export const wholeTurns = 50;
/** The same for calls outside turns, by day. */
export const wholeDays = 7;
/** How much of a journal is read at a time, so that many slow readers of a long journal use little memory. */
export const journalReadBytes = 256 * 1024;
/**
 * A part of a history in one answer: compressed, it takes a second over a phone's connection. A single event
 * may be longer.
 */
export const historyChars = 1024 * 1024;
/** Sessions in one part of the list. */
export const listedSessions = 100;

/** What a caller can run into; `capabilities` reports it. */
export const reported = {
  ...{ fileBytes, readRows, listEntriesMax, searchMatchesMax },
  ...{ execTimeoutMs, execTimeoutMaxMs, execOutputBytes, execOutputMaxBytes },
  ...{ requestBytes, fileResponseBytes, archiveBytes, archiveEntries, postedBytes },
};
