/** A command that does not come from the syscall table. */
export interface Everyday {
  /** What it is listed under in the help: a family of syscalls, or a word of its own. */
  readonly subject: string;
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly (readonly [option: string, meaning: string])[];
}

export const EVERYDAY = {
  up: {
    subject: "daemon",
    usage: "nomos up [--detach] [--port N] [--tour]",
    summary: "Start the daemon: here, or detached from this terminal",
    options: [
      ["--detach", "in the background; answers when it is up"],
      ["--port N", "default: $NOMOS_PORT, the configuration, 4200; 0 means any"],
      ["--tour", "with a first session to play with"],
      ["--verbose", "print the daemon's log as well"],
    ],
  },
  down: {
    subject: "daemon",
    usage: "nomos down",
    summary: "Stop the daemon: every session is put to sleep, nothing is lost",
  },
  restart: {
    subject: "daemon",
    usage: "nomos restart",
    summary: "Stop the daemon and start it again, detached, on the same port",
  },
  status: {
    subject: "daemon",
    usage: "nomos status",
    summary: "The daemon: version, address, what it recovered, how much it holds",
  },
  doctor: {
    subject: "daemon",
    usage: "nomos doctor [--rebuild] [--repair]",
    summary: "Check the log, the home and the machine, with a remedy for each problem; needs no daemon",
    options: [
      ["--rebuild", "compare every read model with the log as well"],
      ["--repair", "and write those anew that differ"],
    ],
  },
  restore: {
    subject: "daemon",
    usage: "nomos restore BACKUP [--anchors FILE] [--despite-anchors]",
    summary: "Make this home out of a backup, verified first; no daemon may run, and no log may be there",
    options: [
      ["--anchors FILE", "also ask these anchors; JSON as `anchors` in the configuration"],
      ["--despite-anchors", "restore although an anchor remembers other events; the log says so"],
    ],
  },
  daemon: {
    subject: "daemon",
    usage: "nomos daemon logs [-f] [-n LINES]",
    summary: "The daemon's own log",
    options: [
      ["-f, --follow", "go on as it grows"],
      ["-n, --lines LINES", "how many of the last lines; default 100"],
    ],
  },
  config: {
    subject: "daemon",
    usage: "nomos config [show | get KEY | set KEY VALUE]",
    summary: "The configuration in force, one member of it, or a change to one; `null` removes it",
  },
  run: {
    subject: "session",
    usage: 'nomos run [-a AGENT] [-C DIR | -w WORKSPACE] [--label TEXT] [--detach] "prompt"',
    summary: "Start a session with a prompt and follow it to the end of the turn",
    options: [
      ["-a, --agent AGENT", "who works; default: the default agent"],
      ["-C, --cwd DIR", "where; default: here"],
      ["-w, --workspace SLUG", "in this workspace instead"],
      ["-s, --session ID", "in this session instead of a new one"],
      ["--label TEXT", "a label for the new session"],
      ["--file FILE", "the TypeScript file that drives it, for the script driver"],
      ["--worktree", "in a tree of its own, made from the repository"],
      ["--base COMMIT", "what that tree is made from: a branch, tag or commit; default: HEAD"],
      ["--queue", "with --session: wait in line while it is busy"],
      ["--detach", "do not wait for the end"],
    ],
  },
  sandbox: {
    subject: "session",
    usage: "nomos sandbox explain SESSION | run [-C DIR] [--allow-net HOST]... [--timeout-ms MS] -- COMMAND...",
    summary: "What a session can reach and why; or a command behind the same walls, to try them out",
    options: [
      ["-C, --cwd DIR", "the directory that the command may write to; default: here"],
      ["--allow-net HOST", "`host`, `host:port` or `*.host` that it may reach; without, there is no network"],
      ["--timeout-ms MS", "after this long it is ended; default 60000"],
    ],
  },
  ps: {
    subject: "session",
    usage: "nomos ps [--all] [--watch]",
    summary: "The sessions, newest first",
    options: [
      ["-a, --all", "those that have ended too"],
      ["-w, --watch", "go on, and show every change"],
      ["--limit N", "at most so many"],
    ],
  },
  attach: {
    subject: "session",
    usage: "nomos attach SESSION",
    summary: "Follow a session and talk to it: a line is a prompt, Ctrl-C interrupts the turn, Ctrl-D detaches",
  },
  logs: {
    subject: "session",
    usage: "nomos logs [-f] [-n LINES] SESSION",
    summary: "What a session said and did",
    options: [
      ["-f, --follow", "go on as it grows, until the session ends"],
      ["-n, --lines LINES", "how many of the last lines; default 200"],
    ],
  },
  approve: {
    subject: "approval",
    usage: "nomos approve APPROVAL|SESSION [OPTION]",
    summary: "Allow what was asked: once, unless the option says more",
  },
  reject: {
    subject: "approval",
    usage: "nomos reject APPROVAL|SESSION [REASON]",
    summary: "Refuse what was asked",
  },
  open: {
    subject: "daemon",
    usage: "nomos open",
    summary: "The daemon's address",
  },
  mcp: {
    subject: "programs",
    usage: "nomos mcp [--toolsets NAME,...]",
    summary: "An MCP server on standard input and output, for clients that start one: every syscall is a tool",
    options: [["--toolsets NAME,...", "which tools are listed: subjects such as session,audit, or all"]],
  },
  rpc: {
    subject: "programs",
    usage: "nomos rpc [--wait-ms MS]",
    summary: "Every syscall over standard input and output: one JSON object a line, both ways",
    options: [
      [
        "--wait-ms MS",
        "after the end of the input: cancel what is left when nothing is answered for so long; default 30000",
      ],
    ],
  },
  conformance: {
    subject: "programs",
    usage: "nomos conformance aip46 [--url URL --token TOKEN] [--case N,...] [--restart COMMAND]",
    summary: "Run the forty cases of AIP-46 against a server: this one, or any other; exit code 1 when one fails",
    options: [
      ["--url URL", "the server; default: this home's own daemon"],
      ["--token TOKEN", "the operator's token there"],
      ["--case N,...", "only these cases"],
      ["--restart COMMAND", "stops the server and starts it again on the same address: for the cases that need it"],
      ["--adapter NAME", "of a server that is no Nomos: the adapter that obeys the suite; default: fake"],
      ["--ground REF", "of such a server: where sessions may work"],
    ],
  },
  completion: {
    subject: "programs",
    usage: "nomos completion bash|zsh|fish",
    summary: "A script that completes commands and options in your shell",
  },
  version: {
    subject: "programs",
    usage: "nomos version",
    summary: "The version of this program",
  },
  help: {
    subject: "programs",
    usage: "nomos help [COMMAND | SUBJECT | subjects]",
    summary: "How a command is written; the commands of a subject; all subjects with their verbs",
  },
} as const satisfies { readonly [name: string]: Everyday };

export type EverydayName = keyof typeof EVERYDAY;

export function isEveryday(name: string): name is EverydayName {
  return Object.hasOwn(EVERYDAY, name);
}
