/** A command that does not come from the syscall table. */
export interface Everyday {
  /** The help lists it under this subject: a family of syscalls, or a word of its own. */
  readonly subject: string;
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly (readonly [option: string, meaning: string])[];
}

export const EVERYDAY = {
  up: {
    subject: "daemon",
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
    subject: "daemon",
    usage: "nomos down",
    summary: "Stop the daemon: every session hibernates, nothing is lost",
  },
  restart: {
    subject: "daemon",
    usage: "nomos restart",
    summary: "Stop the daemon and start it again in the background, on the same port",
  },
  status: {
    subject: "daemon",
    usage: "nomos status",
    summary: "Show the daemon's version, address, recovery results, and use of sessions and storage",
  },
  doctor: {
    subject: "daemon",
    usage: "nomos doctor [--rebuild] [--repair]",
    summary: "Check the log, the home and the machine; prints a remedy for each problem; needs no daemon",
    options: [
      ["--rebuild", "also compare every read model with the log"],
      ["--repair", "also rebuild what differs from the log"],
    ],
  },
  restore: {
    subject: "daemon",
    usage: "nomos restore BACKUP [--anchors FILE] [--despite-anchors]",
    summary: "Restore this home from a backup after verifying it; the home must have no log and no running daemon",
    options: [
      ["--anchors FILE", "also ask these anchors; JSON in the form of the configuration's `anchors`"],
      ["--despite-anchors", "restore although an anchor contradicts the backup; the log records this"],
    ],
  },
  daemon: {
    subject: "daemon",
    usage: "nomos daemon logs [-f] [-n LINES]",
    summary: "Show the daemon's own log",
    options: [
      ["-f, --follow", "keep printing new lines"],
      ["-n, --lines LINES", "number of last lines to print; default 100"],
    ],
  },
  config: {
    subject: "daemon",
    usage: "nomos config [show | explain [KEY] | get KEY | set KEY VALUE]",
    summary: "Show what is configured, explain all settings, or read or change one; `null` restores its default",
  },
  run: {
    subject: "session",
    usage: 'nomos run [-a AGENT] [-C DIR | -s SESSION | --continue] [OPTIONS] "prompt"',
    summary: "Start a session with a prompt and follow it until the turn ends; reads a piped text too",
    options: [
      ["-a, --agent AGENT", "the agent, or a driver file such as ./my.ts; default: the default agent"],
      ["-C, --cwd DIR", "the working directory; default: the current one"],
      ["-w, --workspace SLUG", "work in this workspace instead"],
      ["-s, --session SESSION", "prompt this session instead of starting a new one"],
      ["-c, --continue", "prompt the session that worked in the directory last"],
      ["--prompt-file FILE", "read the prompt from a file"],
      ["--context-file FILE", "put a file before the prompt, `-`: standard input; repeatable, 1 MB in all"],
      ["--schema FILE", "a JSON schema that the answer has to fit, as a file or as '{...}'"],
      ["--timeout TIME", "interrupt the turn after 90s, 10m or 2h"],
      ["-q, --quiet", "print only the answer"],
      [
        "--exit-code",
        "a code for each end: 10 refused, 11 budget or quota, 130 interrupted, 3 key rejected, 6 unreachable; otherwise 1. Always: 0 done, 2 usage, 12 timeout, 13 schema not met",
      ],
      ["--ticket ID", "work on this ticket, strict and in an own worktree; its text is the prompt if you give none"],
      ["--role work|audit", "on a ticket; `audit`: another model reads what was done"],
      ["--title TEXT", "a title for the new session; default: the first line of the prompt"],
      ["--label TEXT", "a label for the new session"],
      ["--sandbox off|warn|enforce|strict", "how far the session is walled in"],
      ["--scope PATTERN", "what the session may change; repeatable, `!PATTERN` denies; implies --worktree"],
      ["--network HOST", "a host it may reach; repeatable"],
      ["--secret NAME", "a secret that its processes get as an environment variable; repeatable"],
      ["--mode MODE", "the agent's mode, such as `plan`"],
      ["--model MODEL", "the agent's model"],
      ["--file FILE", "for the script driver: the TypeScript file to run"],
      ["--worktree", "work in a new worktree, made from the repository"],
      ["--base COMMIT", "branch, tag or commit to make the worktree from; default: HEAD"],
      ["--queue", "with --session or --continue: if it is busy, queue the prompt"],
      ["-d, --detach", "return at once, without waiting for the turn to end"],
      ["--rm", "forget the session when the turn has ended"],
      ["--verbose", "also show what the agent prints beside its protocol"],
    ],
  },
  chat: {
    subject: "session",
    usage: "nomos chat [-a AGENT] [--model MODEL] [-C DIR] [-s SESSION | -c] [--plain]",
    summary: "Talk to an agent: a new session, one that runs, or the last one here; leaving it leaves it running",
    options: [
      ["-a, --agent AGENT", "the agent, or a driver file such as ./my.ts; default: the default agent"],
      ["--model MODEL", "the agent's model; /model changes it later"],
      ["-C, --cwd DIR", "the working directory; default: the current one"],
      ["-s, --session SESSION", "go on with this session, also while it works"],
      ["-c, --continue", "go on with the session that worked in the directory last"],
      ["-w, --workspace SLUG", "work in this workspace instead"],
      ["--sandbox off|warn|enforce|strict", "how far the session is walled in"],
      ["--worktree", "work in a new worktree, made from the repository"],
      ["--mode MODE", "the agent's mode, such as `plan`"],
      ["--plain", "for screen readers: lines only, nothing is drawn twice; the same as NOMOS_PLAIN=1"],
      ["--verbose", "also show what the agent prints beside its protocol"],
    ],
  },
  board: {
    subject: "session",
    usage: "nomos board",
    summary: "Show all sessions live, answer their questions and start new ones; bare `nomos` does the same",
  },
  sandbox: {
    subject: "session",
    usage: "nomos sandbox explain SESSION | run [-C DIR] [--allow-net HOST]... [--timeout-ms MS] -- COMMAND...",
    summary: "Show what a session can reach and why; or run a command in a `strict` sandbox to try it out",
    options: [
      ["-C, --cwd DIR", "the one directory that the command may write to; default: the current one"],
      ["--allow-net HOST", "`host`, `host:port` or `*.host` that it may reach; default: no network"],
      ["--timeout-ms MS", "end the command after this time; default 60000"],
    ],
  },
  worktree: {
    subject: "worktree",
    usage: "nomos worktree open SESSION",
    summary: "Open a session's worktree in $VISUAL or $EDITOR, else in a shell",
  },
  land: {
    subject: "landing",
    usage: "nomos land SESSION [BRANCH] [--squash | --rebase | --merge] [-m TEXT | --edit] [OPTIONS]",
    summary: "Land a session's work on a branch and wait for the outcome; exits with 1 if it is refused",
    options: [
      ["--into BRANCH", "the branch; default: the one that is checked out in the repository"],
      ["--dry-run", "run the gate and the checks, and only say what would come of it"],
      ["--squash, --rebase, --merge", "one commit, the session's commits, or a merge; default: the configuration"],
      ["-m, --message TEXT", "the message of the commit; default: made of the session's own words"],
      ["-e, --edit", "write the message in $VISUAL or $EDITOR first"],
      [
        "--check COMMAND",
        'a check beside the configured ones, as words or JSON such as \'["npm","test"]\'; repeatable',
      ],
      ["--pr", "push a branch for a pull request instead; prints how to open the request"],
      ["--create", "with --pr: open the request with `gh` or `glab`, whichever the forge needs"],
      ["--no-wait", "return as soon as it is queued"],
    ],
  },
  init: {
    subject: "governance",
    usage: "nomos init [--dry-run] [--no-commit] [--sidecar] [-m TEXT] [-C DIR]",
    summary: "Give the repository here a law: scope, checks and leases for agents; safe to repeat",
    options: [
      ["--dry-run", "say what would be written, and write nothing"],
      ["--no-commit", "stage the files, and leave the commit to you"],
      ["--sidecar", "put the law on a branch of its own, `nomos-governance`, mounted at .nomos"],
      ["-m, --message TEXT", "the message of the commit"],
      ["-C, --cwd DIR", "a folder of the repository; default: the current one"],
    ],
  },
  deinit: {
    subject: "governance",
    usage: "nomos deinit [--dry-run] [--force] [-m TEXT] [-C DIR]",
    summary: "Take the law of the repository here away, without a trace but the commit that tells of it",
    options: [
      ["--dry-run", "say what would go, and remove nothing"],
      ["-f, --force", "also when tickets or uncommitted changes go with it"],
      ["-m, --message TEXT", "the message of the commit"],
      ["-C, --cwd DIR", "a folder of the repository; default: the current one"],
    ],
  },
  governance: {
    subject: "governance",
    usage: "nomos governance verify | check VERB PATH [--ticket ID] [--evidence E] | build | compose | import exo",
    summary: "Verify, ask, compile and seal the law of the repository here; needs no daemon and starts none",
    options: [
      ["verify", "exits with 1 if a file of the law was edited, cut off, swapped or taken away"],
      ["check VERB PATH", "`read`, `write`, `delete` or `rename`; exits with 0 for a yes, with 1 otherwise"],
      ["--ticket ID", "of check: judge by this ticket's scope and lease"],
      ["--evidence E", "of check: what was shown already, such as `attestation:delete`; repeatable"],
      ["build", "compile CONSTITUTION.md into governance.lock.json"],
      ["compose", "seal policy.sealed.json, signed with the key of this home if it has one"],
      ["import exo", "write .nomos/ from a folder .exo/, and say what was left out"],
    ],
  },
  "fan-out": {
    subject: "fan-out",
    usage: 'nomos fan-out --agents AGENT[:MODEL],... [-C DIR] [OPTIONS] "prompt"',
    summary: "Run one prompt with several agents, each in a worktree of its own, and compare what they did",
    options: [
      ["-a, --agents AGENT[:MODEL],...", "two or more; the same one may be named again for another try"],
      ["-C, --cwd DIR", "a directory of the repository; default: the current one"],
      ["-w, --workspace SLUG", "work in this workspace instead"],
      ["--base COMMIT", "branch, tag or commit that all of them start from; default: HEAD"],
      ["--into BRANCH", "the branch that the work is tried against; default: the one that is checked out"],
      ["--check COMMAND", "a check beside the configured ones, as words or JSON; repeatable"],
      ["--prompt-file FILE", "read the prompt from a file"],
      ["--context-file FILE", "put a file before the prompt, `-`: standard input; repeatable, 1 MB in all"],
      ["--sandbox off|warn|enforce|strict", "how far the sessions are walled in"],
      ["--scope PATTERN", "what they may change; repeatable, `!PATTERN` denies"],
      ["--network HOST", "a host they may reach; repeatable"],
      ["--secret NAME", "a secret that their processes get as an environment variable; repeatable"],
      ["--mode MODE", "the agents' mode"],
      ["--title TEXT", "a title for the sessions; default: the first line of the prompt"],
      ["--label TEXT", "a label for the sessions; default: `fan-out` and its name"],
      ["-d, --detach", "return as soon as all have started"],
      ["--squash, --rebase, --merge", "of `fan-out land`: one commit, the session's commits, or a merge"],
      ["-m, --message TEXT", "of `fan-out land`: the message of the commit"],
      ["--no-wait", "of `fan-out land`: return as soon as it is queued"],
    ],
  },
  ps: {
    subject: "session",
    usage: "nomos ps [--all] [--watch] [-q | --format TEMPLATE] [--filter KEY=VALUE,...]",
    summary: "List the sessions: those that wait for you first, then busy, idle and asleep ones",
    options: [
      ["-a, --all", "also show sessions that have ended"],
      ["-w, --watch", "keep running and show every change"],
      ["-q, --quiet", "print only the names, one per line"],
      ["--format TEMPLATE", "one line per session, such as '{name} {state}'; every member that --json has"],
      ["-f, --filter KEY=VALUE,...", "state, agent, name, title, label, cwd, sandbox, workspaceSlug; may be repeated"],
      ["--limit N", "show at most N sessions"],
      ["--after CURSOR", "continue where the last page ended"],
    ],
  },
  attach: {
    subject: "session",
    usage: "nomos attach [--verbose] SESSION",
    summary: "Follow a session and talk to it: text is a prompt, Ctrl-C interrupts the turn, Ctrl-D leaves",
    options: [["--verbose", "also show what the agent prints beside its protocol"]],
  },
  steer: {
    subject: "session",
    usage: 'nomos steer SESSION "message"',
    summary:
      "Send the running turn a message, which it takes up with its next step; the same as `nomos prompt --steer`",
  },
  model: {
    subject: "model",
    usage:
      "nomos model add NAME [--api API] [--key env:NAME | --key file:PATH | --key-stdin] [--model MODEL] [OPTIONS]",
    summary: "Add a model provider for the agent `nomos`; a key is named or piped, never given as an argument",
    options: [["--key-stdin", "read the key from standard input and keep it in the home, readable only for you"]],
  },
  secret: {
    subject: "secret",
    usage: "nomos secret set NAME [--stdin | --file FILE | --env VARIABLE] [--scope SCOPE] [--bind JSON]",
    summary: "Seal a value in the vault; it is asked for, piped or read from a file, never given as an argument",
    options: [
      ["--stdin", "of set, rotate, unlock, rekey: read the value or passphrase from standard input"],
      ["--file FILE", "of set, rotate: read the value from a file; a newline at its end is left out"],
      ["--env VARIABLE", "of set, rotate: take the value of this environment variable"],
      ["--scope SCOPE", "`home`, `workspace:SLUG`, `agent:SLUG` or `session:ID`; the narrowest wins"],
      ["--config", "of import: move the keys that lie in config.json into the vault"],
      ["--only NAME,...", "of import FILE: only these lines of a .env file"],
      ["--key-file FILE", "of unlock: a copy of the vault's key"],
      ["--session ID, --all", "of scan: one session; everything in this home, with archives, backups and exports"],
      ["--erase", "of scan: erase the data of events that hold a secret, for good; on a terminal it asks first"],
    ],
  },
  logs: {
    subject: "session",
    usage: "nomos logs [-f] [-n LINES] SESSION",
    summary: "Show the transcript of a session",
    options: [
      ["-f, --follow", "keep printing new lines until the session ends"],
      ["-n, --lines LINES", "number of last lines to print; default 200"],
      ["--verbose", "also show what the agent prints beside its protocol"],
    ],
  },
  open: {
    subject: "daemon",
    usage: "nomos open [--phone] [--print] [--label TEXT] [--address]",
    summary: "Open the dashboard in your browser, signed in by a link that works once",
    options: [
      ["--phone", "for a phone: prints a link to `publicUrl`, and a QR code of it"],
      ["--print", "only print the link"],
      ["--label TEXT", "names the sign-in in `nomos token list`"],
      ["--address", "only print the daemon's address, for scripts"],
    ],
  },
  mcp: {
    subject: "programs",
    usage: "nomos mcp [--toolsets NAME,...]",
    summary: "Run an MCP server on standard input and output; every syscall is a tool",
    options: [["--toolsets NAME,...", "the tools to list: subjects such as session,audit, or all"]],
  },
  rpc: {
    subject: "programs",
    usage: "nomos rpc [--wait-ms MS]",
    summary: "Call syscalls over standard input and output, one JSON object per line",
    options: [
      [
        "--wait-ms MS",
        "after the end of the input: cancel the remaining calls when none is answered for this long; default 30000",
      ],
    ],
  },
  conformance: {
    subject: "programs",
    usage: "nomos conformance aip46 [--url URL --token TOKEN] [--case N,...] [--restart COMMAND]",
    summary: "Run the forty AIP-46 cases against this daemon or another server; exits with 1 if a case fails",
    options: [
      ["--url URL", "the server to test; default: the daemon of this home"],
      ["--token TOKEN", "the operator's token of that server"],
      ["--case N,...", "run only these cases"],
      ["--restart COMMAND", "command that restarts the server on the same address, for the cases that need it"],
      ["--adapter NAME", "on a server other than Nomos: the test adapter to use; default: fake"],
      ["--ground REF", "on a server other than Nomos: where sessions may work"],
    ],
  },
  eval: {
    subject: "programs",
    usage: "nomos eval DIR [--model M] [--policy FILE] [--budget USD] [--out DIR]",
    summary: "Replay every case of a directory and compare with what it expects; exits with 1 if a case fails",
    options: [
      ["--model M", "ask this model at each recorded step, in every case"],
      ["--policy FILE", "judge every case by these rules"],
      ["--budget USD", "what asking the model may cost, for all cases together"],
      ["--out DIR", "where report.json and report.md go; default: DIR"],
    ],
  },
  completion: {
    subject: "programs",
    usage: "nomos completion bash|zsh|fish",
    summary: "Print a script that completes commands and options in your shell",
  },
  version: {
    subject: "programs",
    usage: "nomos version",
    summary: "Print the version of Nomos",
  },
  help: {
    subject: "programs",
    usage: "nomos help [COMMAND | SUBJECT | subjects]",
    summary: "Show the usage of a command, the commands of a subject, or all subjects",
  },
} as const satisfies { readonly [name: string]: Everyday };

export type EverydayName = keyof typeof EVERYDAY;

export function isEveryday(name: string): name is EverydayName {
  return Object.hasOwn(EVERYDAY, name);
}
