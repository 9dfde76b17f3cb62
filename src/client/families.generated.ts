// Generated from the syscall table by `npm run docs`.
import type { Verb } from "./verb.ts";

export interface Families {
  readonly session: {
    /** Start a session with a driver, and with a first prompt if you give one. */
    readonly start: Verb<"session.start">;
    /** Send a session its next prompt; returns once the prompt is stored. */
    readonly prompt: Verb<"session.prompt">;
    /** Show what a session's model is sent: each part, where it comes from and how many tokens it takes. */
    readonly context: Verb<"session.context">;
    /** Replace the older part of a session's conversation by a summary; the log keeps all of it. */
    readonly compact: Verb<"session.compact">;
    /** Give a session to another agent: it has the conversation so far and takes the next prompt. */
    readonly switch: Verb<"session.switch">;
    /** Run a recorded session again on its recorded results: where it diverges, its cost, what a policy refuses. */
    readonly replay: Verb<"session.replay">;
    /** End the running turn; the session stays alive. */
    readonly interrupt: Verb<"session.interrupt">;
    /** Suspend a session: its running turn ends, its queue waits until you resume it. */
    readonly suspend: Verb<"session.suspend">;
    /** Resume a suspended session. */
    readonly resume: Verb<"session.resume">;
    /** Hibernate an idle session: its processes end, and the next prompt wakes it. */
    readonly hibernate: Verb<"session.hibernate">;
    /** End a session and its whole process tree. */
    readonly kill: Verb<"session.kill">;
    /** Remove a session from every list, killing it first if needed; its events stay in the log. */
    readonly forget: Verb<"session.forget">;
    /** Forget every ended session, except those whose worktree holds work. */
    readonly prune: Verb<"session.prune">;
    /** Set or remove a session's label. */
    readonly label: Verb<"session.label">;
    /** Give a session a title, or take it away. */
    readonly rename: Verb<"session.rename">;
    /** Start a new session from an event of another one, with its own copy of the files at that event. */
    readonly fork: Verb<"session.fork">;
    /** Move a session back to an event, with its files, artifacts and todo; deletes nothing from the log. */
    readonly rewind: Verb<"session.rewind">;
    /** Erase the data of events for good; their headers stay, so the chain and old proofs stay valid. */
    readonly erase: Verb<"session.erase">;
    /** Label a point of a session's history, so that rewind and fork find it; an empty label is removed. */
    readonly mark: Verb<"session.mark">;
    /** List the labelled points of a session's history, with those that a fork inherited. */
    readonly marks: Verb<"session.marks">;
    /** Show the modes, models, options and commands of a session's agent, and which are chosen. */
    readonly offer: Verb<"session.offer">;
    /** Set mode, model and options of a session's agent, from its next turn on. */
    readonly configure: Verb<"session.configure">;
    /** List the sessions, newest first. */
    readonly list: Verb<"session.list">;
    /** Show one session. */
    readonly show: Verb<"session.show">;
    /** List a session's events by page: the whole stream, or only its current path. */
    readonly events: Verb<"session.events">;
    /** Show the last lines of a session's transcript. */
    readonly output: Verb<"session.output">;
    /** Wait until a session is idle, or until one turn has ended. */
    readonly wait: Verb<"session.wait">;
    /** Search the text of all sessions. */
    readonly search: Verb<"session.search">;
    /** Follow a session live: lines, events, partial text and state changes. */
    readonly stream: Verb<"session.stream">;
    /** Follow all sessions: each as it is after a change, questions, and changes outside of sessions. */
    readonly watch: Verb<"session.watch">;
    /** Explain where a session is: the events that led there, and the next command. */
    readonly why: Verb<"session.why">;
    /** List the agents a session may start, and why the others are refused. */
    readonly delegates: Verb<"session.delegates">;
    /** Take a snapshot of a session's files now, in addition to the one at each turn's end. */
    readonly snapshot: Verb<"session.snapshot">;
    /** List a session's turns by number, as `rewind`, `fork` and `diff` take them. */
    readonly turns: Verb<"session.turns">;
    /** Show which files a turn changed, including changes made through the shell. */
    readonly diff: Verb<"session.diff">;
    /** Land a session's work on a branch: through the gate, the checks and the branch's queue. */
    readonly land: Verb<"session.land">;
    /** List living sessions with the same directory, parent or fork root, each with its last note. */
    readonly siblings: Verb<"session.siblings">;
    /** Leave a note on a session for its siblings and for people. */
    readonly note: Verb<"session.note">;
    /** Ask a person a question from within a turn, and wait for the answer. */
    readonly ask: Verb<"session.ask">;
    /** Write a handoff with which another agent can continue: task, state, todo, artifacts, last messages. */
    readonly handoff: Verb<"session.handoff">;
    /** Finish a session's work on its ticket, or report that an external agent's session has ended. */
    readonly finish: Verb<"session.finish">;
    /** Hand a session's work on its ticket to another agent: one act, which its receiver is told of first. */
    readonly handover: Verb<"session.handover">;
    /** Ask a person to let a session change files outside of its ticket's scope, from its next turn on. */
    readonly amend: Verb<"session.amend">;
    /** Measure how far a session's changes are from what its ticket allows, as its files are now. */
    readonly drift: Verb<"session.drift">;
    /** Open a session for an agent that already runs; it ends by `finish` or with the agent's process. */
    readonly open: Verb<"session.open">;
  };
  readonly turn: {
    /** Report that an external agent has begun a turn. */
    readonly begin: Verb<"turn.begin">;
    /** Report that an external agent has ended its turn; a repeated report changes nothing. */
    readonly end: Verb<"turn.end">;
    /** Report a complete message of a turn. */
    readonly say: Verb<"turn.say">;
  };
  readonly event: {
    /** Follow all events of the log. */
    readonly stream: Verb<"event.stream">;
    /** Show one event by its id. */
    readonly show: Verb<"event.show">;
    /** Add custom facts to a session, inside or outside a running turn. */
    readonly add: Verb<"event.add">;
  };
  readonly artifact: {
    /** List a session's artifacts, each at its current version. */
    readonly list: Verb<"artifact.list">;
    /** Read an artifact, at its current or an earlier version. */
    readonly read: Verb<"artifact.read">;
    /** Write an artifact: a new path starts at version 1, a known path gets the next version. */
    readonly write: Verb<"artifact.write">;
  };
  readonly blob: {
    /** Read a blob by its sha256. */
    readonly read: Verb<"blob.read">;
  };
  readonly todo: {
    /** Show a session's todo list. */
    readonly show: Verb<"todo.show">;
    /** Replace a session's todo list. */
    readonly replace: Verb<"todo.replace">;
  };
  readonly approval: {
    /** List the questions put to a person. */
    readonly list: Verb<"approval.list">;
    /** Show a question, with all that it is about. */
    readonly show: Verb<"approval.show">;
    /** Approve a question: once, unless the option says otherwise. */
    readonly approve: Verb<"approval.approve">;
    /** Reject a question. */
    readonly reject: Verb<"approval.reject">;
  };
  readonly agent: {
    /** List the agents; every installed driver brings one of its own name. */
    readonly list: Verb<"agent.list">;
    /** Show one agent. */
    readonly show: Verb<"agent.show">;
    /** Create an agent: a name, a driver, and what its tools may do without asking. */
    readonly create: Verb<"agent.create">;
    /** Delete an agent; its slug can be used again. */
    readonly delete: Verb<"agent.delete">;
    /** Set the default agent, used when a call names none. */
    readonly default: Verb<"agent.default">;
  };
  readonly workspace: {
    /** List the workspaces and show which one is active. */
    readonly list: Verb<"workspace.list">;
    /** Register a directory as a workspace; the first one becomes active. */
    readonly add: Verb<"workspace.add">;
    /** Make a workspace active: sessions that name no place work there. */
    readonly use: Verb<"workspace.use">;
    /** Remove a workspace from the registry; its directory and sessions stay. */
    readonly remove: Verb<"workspace.remove">;
  };
  readonly worktree: {
    /** List the worktrees and the sessions that work in them. */
    readonly list: Verb<"worktree.list">;
    /** Show one worktree and the work that would be lost with it. */
    readonly show: Verb<"worktree.show">;
    /** Print the path of a session's worktree. */
    readonly path: Verb<"worktree.path">;
    /** Bring a session's work home: into the files of the repository that its worktree was made from. */
    readonly apply: Verb<"worktree.apply">;
    /** Start a session in an existing worktree, to continue there. */
    readonly attach: Verb<"worktree.attach">;
    /** Remove a worktree; refused if it holds work that exists nowhere else. */
    readonly remove: Verb<"worktree.remove">;
    /** Remove every worktree that no session uses and that holds no work. */
    readonly gc: Verb<"worktree.gc">;
  };
  readonly governance: {
    /** Give a repository a law: scans it, writes `.nomos`, compiles and commits it; safe to repeat. */
    readonly init: Verb<"governance.init">;
    /** Remove a repository's law without a trace; refused while tickets or uncommitted changes would go with it. */
    readonly deinit: Verb<"governance.deinit">;
    /** Add settings that this version knows to `.nomos/config.yaml`, and compile the law anew. */
    readonly upgrade: Verb<"governance.upgrade">;
    /** Remove old caches of a law, and leases and statuses of tickets that are archived or gone. */
    readonly gc: Verb<"governance.gc">;
    /** Compile the constitution that is checked out into its lock. */
    readonly build: Verb<"governance.build">;
    /** Write `.nomos` from a law of ExoProtocol that is checked out, and say what has no equal here. */
    readonly import: Verb<"governance.import">;
    /** Seal and sign the policy of the law that is checked out. */
    readonly compose: Verb<"governance.compose">;
    /** Show the law in force: its rules, what it protects, budgets, checks, and what is wrong with it. */
    readonly show: Verb<"governance.show">;
    /** Verify that the files of a law belong together, and that nobody edited what was compiled. */
    readonly verify: Verb<"governance.verify">;
    /** Ask the law whether something may be done to a path, with or without a ticket. */
    readonly check: Verb<"governance.check">;
    /** Show what a repository is made of, as `nomos init` would see it. */
    readonly scan: Verb<"governance.scan">;
    /** Check `.nomos/config.yaml` as it is checked out, and show the settings with their defaults. */
    readonly config: Verb<"governance.config">;
    /** List the repositories that have or had a law, as the log knows them. */
    readonly list: Verb<"governance.list">;
  };
  readonly landing: {
    /** List landings, newest first; with `--state open` those that are queued or being checked. */
    readonly list: Verb<"landing.list">;
    /** Show a landing: its place in the queue, its commit, or why it was refused. */
    readonly show: Verb<"landing.show">;
    /** Wait until a landing has landed, was refused or was ejected. */
    readonly wait: Verb<"landing.wait">;
    /** Show the message that the commit of a landing would get, to edit it beforehand. */
    readonly draft: Verb<"landing.draft">;
    /** Take a landing out of the queue; its work stays in the session's worktree. */
    readonly eject: Verb<"landing.eject">;
    /** Hold a queued landing back; those behind it go on. */
    readonly hold: Verb<"landing.hold">;
    /** Let a landing that was held back go on, at its old place. */
    readonly release: Verb<"landing.release">;
    /** Put a queued landing just before another one of the same branch. */
    readonly move: Verb<"landing.move">;
    /** Explain where a landing is: the events that led there, and the next command. */
    readonly why: Verb<"landing.why">;
  };
  readonly ticket: {
    /** List the tickets of a repository, the most urgent first. */
    readonly list: Verb<"ticket.list">;
    /** List pairs of open tasks that may change the same file, each with such a path. */
    readonly overlaps: Verb<"ticket.overlaps">;
    /** Check all tickets: files that cannot be read, parents and blockers that are missing or form a circle, orphans. */
    readonly check: Verb<"ticket.check">;
    /** Show a ticket: what is to be done, what it waits for, who works on it, and who may change the same files. */
    readonly show: Verb<"ticket.show">;
    /** Show what proves that a ticket is done, or what is still missing for it to be closed. */
    readonly proof: Verb<"ticket.proof">;
    /** Write a ticket into the repository: an intent, an epic below one, or a task. */
    readonly create: Verb<"ticket.create">;
    /** Change a ticket; what is not named stays as it is, and so does what people wrote beside it. */
    readonly edit: Verb<"ticket.edit">;
    /** Make the tickets of a plan: `### EPIC-1: title`, and `* T1: title` for its tasks, `(after T1)` behind one that waits. */
    readonly plan: Verb<"ticket.plan">;
    /** Move a ticket that is done into the archive; one that nobody will do needs a reason. */
    readonly archive: Verb<"ticket.archive">;
    /** Say which ticket is next, and why not the others; with `--claim` take its lease. */
    readonly next: Verb<"ticket.next">;
    /** Take the lease of a ticket by hand; nobody else may work on it until it ends. */
    readonly lease: Verb<"ticket.lease">;
    /** Keep the lease of a ticket for longer. */
    readonly heartbeat: Verb<"ticket.heartbeat">;
    /** Give the lease of a ticket back. */
    readonly release: Verb<"ticket.release">;
    /** Close a ticket on proof: its work has landed, its checks were seen to pass, each criterion has a witness. */
    readonly close: Verb<"ticket.close">;
  };
  readonly blame: {
    /** Show who wrote each line of a file: session, turn, agent, model and approver. */
    readonly file: Verb<"blame.file">;
  };
  readonly fanOut: {
    /** Run one prompt with several agents at once, each in a worktree of its own. */
    readonly start: Verb<"fan-out.start">;
    /** List fan-outs, newest first. */
    readonly list: Verb<"fan-out.list">;
    /** Compare the candidates of a fan-out: checks, size, time and cost, the best first. */
    readonly show: Verb<"fan-out.show">;
    /** Wait until no candidate of a fan-out works any more, and compare them. */
    readonly wait: Verb<"fan-out.wait">;
    /** Follow a fan-out: the comparison after each change, until no candidate works any more. */
    readonly watch: Verb<"fan-out.watch">;
    /** Show what each candidate of a fan-out changed, as a patch. */
    readonly diff: Verb<"fan-out.diff">;
    /** Land the work of one candidate, through the gate and the queue; the others are kept. */
    readonly land: Verb<"fan-out.land">;
    /** End candidates of a fan-out and remove their worktrees with the work in them. */
    readonly drop: Verb<"fan-out.drop">;
  };
  readonly driver: {
    /** List all drivers and show which are installed. */
    readonly list: Verb<"driver.list">;
    /** Show one driver with its manifest. */
    readonly show: Verb<"driver.show">;
    /** Install an agent into the daemon's home, in the version its manifest names. */
    readonly install: Verb<"driver.install">;
    /** Find an agent, check its version and start it briefly; with `latest`, its newest release in a copy. */
    readonly check: Verb<"driver.check">;
    /** Add or replace a foreign agent by its manifest, a short JSON file. */
    readonly add: Verb<"driver.add">;
    /** Remove a manifest you added; a built-in manifest of the same name applies again. */
    readonly remove: Verb<"driver.remove">;
  };
  readonly model: {
    /** List the models that the agent `nomos` can use, with limits, prices and where their keys come from. */
    readonly list: Verb<"model.list">;
    /** Add a model provider, or a model to one: which API it speaks, where its key is; the first model is the default. */
    readonly add: Verb<"model.add">;
    /** Ask a model for one word, and say what is wrong with its key or endpoint if it does not answer. */
    readonly test: Verb<"model.test">;
    /** Choose the model of sessions that name none. */
    readonly default: Verb<"model.default">;
    /** Remove a provider with its models, and the key that was piped in for it. */
    readonly remove: Verb<"model.remove">;
    /** Log in to a provider that has a login instead of a key, such as GitHub Copilot. */
    readonly login: Verb<"model.login">;
    /** Replace the limits and prices of well-known models by a newer catalogue, or go back to the built-in one. */
    readonly update: Verb<"model.update">;
  };
  readonly mcpServer: {
    /** List the MCP servers: whether they are connected, who uses them, and what is wrong. */
    readonly list: Verb<"mcp-server.list">;
    /** Add an MCP server: a program, an address, or the settings of another program as JSON. */
    readonly add: Verb<"mcp-server.add">;
    /** Connect to an MCP server, and say which tools it has or what is wrong. */
    readonly test: Verb<"mcp-server.test">;
    /** Remove an MCP server and its login; its processes end. */
    readonly remove: Verb<"mcp-server.remove">;
    /** Log in to an MCP server by OAuth: open the page that the answer names. */
    readonly login: Verb<"mcp-server.login">;
  };
  readonly tool: {
    /** List the tools that the daemon runs for a session, such as those of MCP servers, and what is missing. */
    readonly list: Verb<"tool.list">;
    /** Call a tool of the daemon as an effect of the session's running turn. */
    readonly call: Verb<"tool.call">;
  };
  readonly sandbox: {
    /** Show the files and network a session can reach, its limits, and what it was refused. */
    readonly explain: Verb<"sandbox.explain">;
    /** Run a command in a `strict` sandbox that can write to one directory, to try the sandbox out. */
    readonly run: Verb<"sandbox.run">;
  };
  readonly audit: {
    /** List all events in global order, by page. */
    readonly entries: Verb<"audit.entries">;
    /** Check the hashes and position of every event, and the tree against its signed checkpoint. */
    readonly verify: Verb<"audit.verify">;
    /** Show the newest signed checkpoint as a C2SP signed note; as JSON, also the key that verifies it. */
    readonly checkpoint: Verb<"audit.checkpoint">;
    /** Prove that an event is in the signed log. */
    readonly proof: Verb<"audit.proof">;
    /** Prove that the log still begins with the events it had at an earlier size. */
    readonly consistency: Verb<"audit.consistency">;
    /** Read one tile of the tree (C2SP tlog-tiles): up to 256 hashes of a level. */
    readonly tile: Verb<"audit.tile">;
    /** Export the whole log as a folder or a .tar; `nomos-verify` checks it without Nomos. */
    readonly export: Verb<"audit.export">;
    /** List the events of an agent's sessions in global order, by page; a short page may not be the last. */
    readonly agent: Verb<"audit.agent">;
  };
  readonly system: {
    /** Show the daemon's version, address, recovery results, and use of sessions and storage. */
    readonly status: Verb<"system.status">;
    /** Show the metrics in the Prometheus text format. */
    readonly metrics: Verb<"system.metrics">;
    /** Check every byte of the log and its tree; with `rebuild`, also compare the read models with the log. */
    readonly doctor: Verb<"system.doctor">;
    /** List the protocols this daemon implements and where it deviates from them. */
    readonly conformance: Verb<"system.conformance">;
    /** Back up the log, blobs, tree, keys and configuration into a new folder while the daemon runs. */
    readonly backup: Verb<"system.backup">;
    /** Move the data of sessions that ended long ago into archives, and remove unused blobs. */
    readonly gc: Verb<"system.gc">;
    /** Sum up turns, tokens and cost by time, agent, workspace and model. */
    readonly activity: Verb<"system.activity">;
    /** Show the daemon's own log by page, newest lines first. */
    readonly log: Verb<"system.log">;
    /** List the backups that this log tells of, newest first, and whether they are still there. */
    readonly backups: Verb<"system.backups">;
    /** Stop the daemon: running turns end and every session hibernates; nothing is lost. */
    readonly shutdown: Verb<"system.shutdown">;
  };
  readonly conflict: {
    /** List the sessions whose work collides, with files and lines, and those whose branch has moved. */
    readonly list: Verb<"conflict.list">;
  };
  readonly work: {
    /** List the sessions that work on a repository's tickets, or worked on one of them. */
    readonly list: Verb<"work.list">;
    /** Show how the drift of a repository's sessions went, the newest first. */
    readonly drift: Verb<"work.drift">;
  };
  readonly config: {
    /** Show the configuration in force, with possible secrets hidden. */
    readonly show: Verb<"config.show">;
    /** Show settings with the value in force, its default and where it comes from. */
    readonly explain: Verb<"config.explain">;
    /** Change members of the configuration; null removes a member, a hidden value stays unchanged. */
    readonly set: Verb<"config.set">;
  };
  readonly queue: {
    /** List everything that is queued and why it waits: turns of sessions, items of limited lanes. */
    readonly list: Verb<"queue.list">;
  };
  readonly token: {
    /** Issue a token with fewer rights than yours; its secret is shown only once. */
    readonly issue: Verb<"token.issue">;
    /** List the valid tokens, without their secrets. */
    readonly list: Verb<"token.list">;
    /** Revoke a token for good, and every token that was issued with it. */
    readonly revoke: Verb<"token.revoke">;
  };
  readonly secret: {
    /** Seal a new secret in the vault; its value is never shown again. */
    readonly set: Verb<"secret.set">;
    /** Seal many secrets at once, as from a .env file; what cannot be a secret is skipped and named. */
    readonly import: Verb<"secret.import">;
    /** List your secrets: names, scopes and uses, never values. */
    readonly list: Verb<"secret.list">;
    /** Show a secret's length, age, scope, last use and fingerprint, never its value. */
    readonly show: Verb<"secret.show">;
    /** Replace a secret's value; the earlier one stays known to the redactor. */
    readonly rotate: Verb<"secret.rotate">;
    /** Say where a secret may be sent: hosts, header, methods, paths; replaces what was said before. */
    readonly bind: Verb<"secret.bind">;
    /** Remove a secret; its value stays known to the redactor. */
    readonly remove: Verb<"secret.remove">;
    /** Open the vault with its passphrase or a copy of its key; with neither, look for its key again. */
    readonly unlock: Verb<"secret.unlock">;
    /** Seal the vault with a new key, kept in a file, the system's keyring or behind a passphrase. */
    readonly rekey: Verb<"secret.rekey">;
    /** Give up values that nobody can open: names stay, the sealed file is moved aside, a new key is made. */
    readonly recover: Verb<"secret.recover">;
    /** Search what is already written for secrets; with `erase`, erase the events that hold them. */
    readonly scan: Verb<"secret.scan">;
    /** Find keys that lie in config.json: where they are, never what they are. */
    readonly plaintext: Verb<"secret.plaintext">;
    /** Move keys from config.json into the vault; the configuration then names their secrets. */
    readonly adopt: Verb<"secret.adopt">;
  };
  readonly permission: {
    /** Show what the gate would decide and which rules apply; every caller may ask about itself. */
    readonly explain: Verb<"permission.explain">;
  };
  readonly archive: {
    /** Read the events of an archived session, each checked against its hash in the log. */
    readonly read: Verb<"archive.read">;
    /** Check every byte of a session's archive against the hashes in the log. */
    readonly verify: Verb<"archive.verify">;
  };
  readonly doc: {
    /** List the documentation pages of this version. */
    readonly list: Verb<"doc.list">;
    /** Show one documentation page. */
    readonly read: Verb<"doc.read">;
  };
  readonly ws: {
    /** Issue a pass that opens one WebSocket once, within 30 seconds, for browsers that cannot send a token. */
    readonly ticket: Verb<"ws.ticket">;
  };
  readonly dashboard: {
    /** Issue a link that signs one browser or phone in to the dashboard, once, within ten minutes. */
    readonly open: Verb<"dashboard.open">;
    /** Sign a browser in with a link; the link is used up. */
    readonly enter: Verb<"dashboard.enter">;
    /** Sign this browser out: its token is revoked. */
    readonly leave: Verb<"dashboard.leave">;
  };
}
