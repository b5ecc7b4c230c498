// Patterns for inline code of interpreters: use of networks and shells, deletions, and what makes the code unreadable.
// Data only.

const textArgument = `(?:[rbu]?"[^"\\\\\\n]*"|[rbu]?'[^'\\\\\\n]*')`;

/** Placeholder for a host that code reaches without naming it. */
export const unnamedHost = "code.invalid";

/** Ways to delete a tree or contact another machine without a shell, each with the equivalent shell command. */
export const equivalents: readonly (readonly [RegExp, string])[] = [
  [
    /\b(_?rmtree\w*|deleteDir|deleteRecursive(?:ly)?|removeDirectoryRecursive|removePathForcibly|delete-directory-tree|delete-directory\/files|delete-tree|del_dir_r|removeItem|remove_tree|remove_dir|remove_dir_all|rm_rf|rm_r|rmSync|rmdirSync|removeSync|emptyDirSync|Deno\.remove\w*|rimraf)\b|\b(rm|rmdir)(Sync)?\s*(:|\bas\b)\s*\w+[^{}]*\}\s*(=|from)|\bfs(\/promises)?["']?\)*\.rm\b|\brm\s*\([^)]*recursive/,
    "rm -r",
  ],
  [
    /\b(fetch|axios|undici|requests\.\w+|httpx|aiohttp|urlopen|urlretrieve|download\.file|https?[\w"')]*\.(get|request|client|connect)|Net::\w+|HTTP::|LWP|URI\.open|open-uri|curl_init|curl_exec|WebSocket|EventSource|XMLHttpRequest|sendBeacon|websockets?|httplib|ftplib|paramiko|xmlrpc|urllib3|pycurl|boto3|webbrowser\.open|antigravity|Mechanize|Mojo::UserAgent|ojo|SoapClient|ftp_connect|get_headers|httpc|hackney|HTTPoison|toURL|net\/https?|Mix\.install|install\.packages|install_(?:github|gitlab|git|url|cran|version|dev)|(?:remotes|renv|BiocManager|devtools)::\w*install|Pkg\.(?:add|develop|update)|bundler\/inline|quickload|URLSession|clj-http|import\s+requests\s+as|Faraday|HTTParty|Excon|RestClient|HTTP\.(?:get|post|put)|httr2?::|RCurl|curl::|pak::|Downloads|Furl|HTTPHandler)\b|\bimport\s*\(\s*["']https?:|\bdownload\s*\(\s*["']|\b(?:copy|url)\s*\(\s*["'](?:https?|ftp):|@Grab\b|\b(?:import|from) pip\b|["'](?:npm|jsr):|file_get_contents\s*\(\s*["']\w+:/,
    "curl",
  ],
  [
    /\b(socket\b|createConnection|(net|tls)["')]*\.connect|TCPSocket|UDPSocket|smtplib|telnetlib|imaplib|poplib|nntplib|open_connection|create_connection|SysLogHandler|SocketHandler|DatagramHandler|SMTPHandler|multiprocessing\.connection|gen_tcp|gen_udp|ssl:connect|dns_get_record|checkdnsrr|inspector["')]*\.open|fsockopen|pfsockopen|imap_open|ldap_connect|ssh2_connect|mail(?=\s*\(\s*["'][^"']*@)|stream_socket_client|dgram|dns["')]*\.(lookup|resolve)|gethostby\w+|socketConnection|asyncssh|Resolv\b|using Sockets|getaddrinfo|Deno\.connect|Bun\.connect)|\/inet\d?\//i,
    `nc ${unnamedHost}`,
  ],
  [
    /\b(process\.kill|os\.kill(pg)?|Process\.kill|posix_kill)\b|\bkill\s*\(?\s*["']?-?[A-Z0-9]+["']?\s*(,|=>)/,
    "kill -- -1",
  ],
];
/** Deletes single files. */
export const removes =
  /\b(os\.remove|from\s+os\s+import\s+\(?[\w, ]{0,200}\bremove\b|unlinkSync|File\.(delete|rm)|\b(delete-file|file:delete|Sys\.remove|Sys\.rmdir|removeFile|remove_file)\b|\bunlink\b)/;
/** Deletes single files whose names are written out. */
export const removesPlainly = new RegExp(
  `\\b(os\\.remove|unlinkSync|unlink|delete)\\s*\\(\\s*${textArgument}\\s*\\)`,
);
/** Writes, moves or links files. */
export const writes =
  /\bopen\s*\([^)]*['"][wax]b?\+?['"]|write(_text|_bytes|File\w*)?\b|append(File\w*)?\s*\(|shutil\.(copy|move)\w*|os\.(replace|makedirs)|(rename|link|copyFile|cp|mkdir|chmod)(Sync)?\s*\(|File\.(open|rename|symlink)|file_put_contents/;
/** A file opened for writing and left empty; one group holds its name. */
export const empties =
  /\bopen\s*\(\s*["']([^"']+)["']\s*,\s*["']w[b+]*["']\s*\)(?!\s*(?:\.write\s*\(\s*[^\s"')]|\.write\s*\(\s*["'][^"']|as\b|\.writelines))|(?:writeFileSync|writeFile|File\.write|file_put_contents|truncateSync)\s*\(\s*["']([^"']+)["']\s*(?:,\s*(?:""|''|0)\s*)?\)/g;
/** Code that empties files or overwrites files that it searches for; which files is known only at run time. */
export const emptiesFound =
  /\.write_(?:text|bytes)\s*\(\s*(?:b?""|b?''|str\(\)|bytes\(\))?\s*\)|\b(?:r?glob|iterdir|walk|listdir|scandir)\b[\s\S]*?(?:\.write_(?:text|bytes)|\.truncate)\s*\(\s*(?:b?"[^"]*"|b?'[^']*'|\d*)\s*\)|(?:\.write_(?:text|bytes)|\.truncate)\s*\(\s*(?:b?"[^"]*"|b?'[^']*'|\d*)\s*\)[\s\S]*?\b(?:r?glob|iterdir|walk|listdir|scandir)\b/;
/** Code that empties a file whose name is written out; the group holds the name. */
export const emptiesPath =
  /\bPath\s*\(\s*["']([^"']+)["']\s*\)\.write_(?:text|bytes)\s*\(\s*(?:b?""|b?''|str\(\)|bytes\(\))?\s*\)/g;
/** Other ways to open a file for writing or to truncate it; one group holds its name. */
export const opensForWriting =
  /\btruncate\s*\(?\s*["']([^"']+)["']|\bopen\s*\(?[^;"']*,\s*["']\s*\+?>(?::[^"']*)?(?:["']\s*,\s*["'])?\s*([^"'<>&\s:|][^"']*)|\b(?:createWriteStream)\s*\(\s*["']([^"']+)["'](?![^)]*["']a)|\b(?:openSync|fopen|File\.(?:open|new)|fs\.open)\s*\(?\s*["']([^"']+)["']\s*,\s*["']w/g;
/** What perl opens to write or to add to; the group holds its name. */
export const opens =
  /\bopen\b[^;]*?["']\s*(?:\+<|\+?>>?)(?::[^"']*)?(?:["']\s*,\s*["'])?\s*([^"'<>&\s:|][^"']*)/g;
/** A file moved by its two names. */
export const moves =
  /\b(?:os\.replace|shutil\.move|renameSync|rename|FileUtils\.mv)\s*\(?\s*["']([^"']+)["']\s*,\s*["']([^"']+)["']/g;
export const runsShell =
  /\b(os:cmd|uiop|createProcess|system|subprocess|getoutput|popen\w*|exec\w*|spawn\w*|child_process|shell_exec|passthru|Open3)|`/i;
/** A call that runs a command and has only literal strings as arguments: they are read as command lines. */
export const plainCall = new RegExp(
  `\\b(?:\\w+(?:\\.\\w+)*\\.)?(system|popen|Popen|run|call|check_output|check_call|getoutput|execSync|exec|execFileSync|execFile|spawnSync|spawn|shell_exec|passthru|execute)\\s*\\(\\s*(?:${textArgument}|\\[\\s*(?:${textArgument}\\s*,?\\s*)*\\])(?:\\s*,\\s*\\[\\s*(?:${textArgument}\\s*,?\\s*)*\\])?(?:\\s*,\\s*(?:\\w+\\s*=\\s*[\\w.]+|\\{[^{}]*\\}))*\\s*\\)`,
  "g",
);
export const pythonHides =
  /(?<![.\w])(eval|exec|compile|__import__|getattr|setattr|globals|locals|vars)\s*\(|\b(importlib|runpy|marshal|ctypes|cffi|code\.interact|pickle\.loads?|b64decode|b32decode|fromhex|codecs\.decode|builtins|__builtins__|__subclasses__|__globals__|os\.exec\w*|os\.(posix_)?spawn\w*|pty\.spawn)\b|\b(os\.system|os\.popen|subprocess\.\w+|check_output|check_call|Popen|getoutput)\s*\(|import_module|from\s+os\s+import\s+(\*|\(?[\w, ]{0,200}\b(system|popen)\b)|from\s+subprocess\s+import|(import|from)\s+(sh|pexpect|plumbum|invoke|fabric)\b|subprocess_(exec|shell)/;
export const nodeHides =
  /\b(eval|Function)\s*\(|\bnew\s+Function\b|\b(atob|process\.(binding|dlopen|_linkedBinding|mainModule)|runIn(This|New)?Context|fromCharCode|fromCodePoint|constructor\s*\[|vm\.\w+)|Buffer\.from\([^)]*["'](base64|hex)|\brequire\s*\(\s*(?!["'][^"'+]*["']\s*\))|\bimport\s*\(\s*(?!["'][^"'+]*["']\s*\))|\b(globalThis|global|window|process|Reflect)\s*\[|\b(execSync|execFileSync|execFile|spawnSync|spawn|fork)\s*\(\s*(?!\s*\))|(?:child_process["']\)|cp|c)\.exec\s*\(|\{[^{}]*\bexec\w*\s*:\s*\w+[^{}]*\}\s*=\s*require|Deno\.(Command|run|dlopen)|Bun\.(spawn|\$|dlopen)|Module\._load|createRequire|getBuiltinModule/;
export const scriptHides =
  /\b(eval|assert|call_user_func\w*|create_function|instance_eval|class_eval|module_eval|send|public_send|__send__|loadstring|dofile|load|loadfile|require_once|include|unserialize|base64_decode|decode_base64|pack|unpack|hex2bin|str_rot13|const_get|preg_replace_callback)\b|\b(system|exec|popen|spawn|passthru|shell_exec|proc_open|pcntl_exec|os\.execute|syscall|do\s+shell\s+script|qx)\b|`[^`]*[$#@]|%x\W|\bopen\s*\(?[^;]*["']\s*[-+]?\||\|\s*["']\s*\)|\$\w+\s*\(|tell\s+app/;
/** What awk runs from plain text. A shell is excepted, because it runs whatever it is given. */
export const awkPlain =
  /system\(\s*"[^"]*"\s*\)|"[^"]*"\s*\|\s*&?\s*getline|\|\s*&?\s*"(?!\s*(?:\S*\/)?(?:(?:ba|z|da|k)?sh|xargs|python\S*|node|perl|ruby|php|parallel)\b)[^"]+"/g;
export const awkHides =
  /\|\s*&?\s*"\s*(\S*\/)?((ba|z|da|k)?sh|xargs|python\S*|node|perl|ruby|php|parallel)\b|\bsystem\s*\(|\|\s*&?\s*\w|\|\s*&?\s*\$|getline|@load|>\s*\$\d|>\s*(FILENAME|ARGV|ENVIRON)\b|>\s*\w+\s*[}; ]*$|inplace/;
