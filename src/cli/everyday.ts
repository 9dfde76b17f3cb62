/** A command that is not in the syscall table. */
export interface Everyday {
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly (readonly [option: string, meaning: string])[];
}

export const EVERYDAY = {
  up: {
    usage: "nomos up [--detach] [--port N] [--tour]",
    summary: "Start the daemon, in this terminal or in the background",
    options: [
      ["--detach", "start in the background; returns when the daemon is up"],
      ["--port N", "default: $NOMOS_PORT, then the configuration, then 4200; 0 means any free port"],
      ["--tour", "start a tour session"],
      ["--verbose", "also print the daemon's log"],
    ],
  },
  down: {
    usage: "nomos down",
    summary: "Stop the daemon: every session hibernates, nothing is lost",
  },
  restart: {
    usage: "nomos restart",
    summary: "Stop the daemon and start it again in the background, on the same port",
  },
  status: {
    usage: "nomos status",
    summary: "Show the daemon's version, address, recovery results, and use of sessions and storage",
  },
  doctor: {
    usage: "nomos doctor [--rebuild] [--repair]",
    summary: "Check the log, the home and the machine; prints a remedy for each problem; needs no daemon",
    options: [
      ["--rebuild", "also compare every read model with the log"],
      ["--repair", "also rebuild what differs from the log"],
    ],
  },
  restore: {
    usage: "nomos restore BACKUP",
    summary: "Verify a backup and restore it into an empty home; no daemon may run",
  },
  daemon: {
    usage: "nomos daemon logs [-f] [-n LINES]",
    summary: "Show the daemon's own log",
    options: [
      ["-f, --follow", "keep printing new lines"],
      ["-n, --lines LINES", "number of last lines to print; default 100"],
    ],
  },
  config: {
    usage: "nomos config [show | get KEY | set KEY VALUE]",
    summary: "Show the configuration, or read or change one setting; `null` removes it",
  },
  run: {
    usage: 'nomos run [-a AGENT] [-C DIR | -w WORKSPACE] [--label TEXT] [--detach] "prompt"',
    summary: "Start a session with a prompt and follow it until the turn ends",
    options: [
      ["-a, --agent AGENT", "the agent to run; default: the default agent"],
      ["-C, --cwd DIR", "the working directory; default: the current one"],
      ["-w, --workspace SLUG", "work in this workspace instead"],
      ["-s, --session ID", "prompt this session instead of starting a new one"],
      ["--label TEXT", "a label for the new session"],
      ["--file FILE", "for the script driver: the TypeScript file to run"],
      ["--worktree", "work in a new worktree, made from the repository"],
      ["--base COMMIT", "branch, tag or commit to make the worktree from; default: HEAD"],
      ["--queue", "with --session: if it is busy, queue the prompt"],
      ["--detach", "return at once, without waiting for the turn to end"],
    ],
  },
  sandbox: {
    usage: "nomos sandbox explain SESSION | run [-C DIR] [--allow-net HOST]... [--timeout-ms MS] -- COMMAND...",
    summary: "Show what a session can reach and why; or run a command in a `strict` sandbox to try it out",
    options: [
      ["-C, --cwd DIR", "the one directory that the command may write to; default: the current one"],
      ["--allow-net HOST", "`host`, `host:port` or `*.host` that it may reach; default: no network"],
      ["--timeout-ms MS", "end the command after this time; default 60000"],
    ],
  },
  ps: {
    usage: "nomos ps [--all] [--watch]",
    summary: "List the sessions, newest first",
    options: [
      ["-a, --all", "also show sessions that have ended"],
      ["-w, --watch", "keep running and show every change"],
      ["--limit N", "show at most N sessions"],
    ],
  },
  attach: {
    usage: "nomos attach SESSION",
    summary: "Follow a session and talk to it: a line is a prompt, Ctrl-C interrupts the turn, Ctrl-D detaches",
  },
  logs: {
    usage: "nomos logs [-f] [-n LINES] SESSION",
    summary: "Show the transcript of a session",
    options: [
      ["-f, --follow", "keep printing new lines until the session ends"],
      ["-n, --lines LINES", "number of last lines to print; default 200"],
    ],
  },
  approve: {
    usage: "nomos approve APPROVAL|SESSION [OPTION]",
    summary: "Approve a question: once, unless the option says otherwise",
  },
  reject: {
    usage: "nomos reject APPROVAL|SESSION [REASON]",
    summary: "Reject a question",
  },
  open: {
    usage: "nomos open",
    summary: "Print the daemon's address",
  },
  mcp: {
    usage: "nomos mcp",
    summary: "Run an MCP server on standard input and output; every syscall is a tool",
  },
  rpc: {
    usage: "nomos rpc",
    summary: "Serve every syscall on standard input and output, one JSON object per line",
  },
  conformance: {
    usage: "nomos conformance aip46 [--url URL --token TOKEN] [--case N,...] [--restart COMMAND]",
    summary: "Run the forty cases of AIP-46 against this daemon or another server; exits with 1 if a case fails",
    options: [
      ["--url URL", "the server to test; default: the daemon of this home"],
      ["--token TOKEN", "the operator's token of that server"],
      ["--case N,...", "run only these cases"],
      ["--restart COMMAND", "command that restarts the server on the same address, for the cases that need it"],
      ["--adapter NAME", "on a server other than Nomos: the test adapter to use; default: fake"],
      ["--ground REF", "on a server other than Nomos: where sessions may work"],
    ],
  },
  completion: {
    usage: "nomos completion bash|zsh|fish",
    summary: "Print a script that completes commands and options in your shell",
  },
  version: {
    usage: "nomos version",
    summary: "Print the version of Nomos",
  },
  help: {
    usage: "nomos help [COMMAND]",
    summary: "Show how to use a command",
  },
} as const satisfies { readonly [name: string]: Everyday };

export type EverydayName = keyof typeof EVERYDAY;

export function isEveryday(name: string): name is EverydayName {
  return Object.hasOwn(EVERYDAY, name);
}
