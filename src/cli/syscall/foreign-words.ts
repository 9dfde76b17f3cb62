/** First words that people bring from other programs -> what to type here. */
export const FOREIGN: { readonly [word: string]: string } = {
  stop: "`nomos kill SESSION` ends a session, `nomos interrupt SESSION` its turn; `nomos down` stops the daemon.",
  list: "`nomos ps` lists the sessions.",
  ls: "`nomos ps` lists the sessions.",
  sessions: "`nomos ps` lists the sessions.",
  top: "`nomos ps --watch` shows the sessions and every change.",
  exec: '`nomos run "prompt"` starts a session; `nomos sandbox run -- COMMAND` runs a command behind walls.',
  ask: '`nomos run "prompt"` starts a session; `nomos prompt SESSION "prompt"` asks one that is there.',
  send: '`nomos prompt SESSION "prompt"` sends a session its next prompt.',
  start: '`nomos run "prompt"` starts a session; `nomos up` starts the daemon.',
  serve: "`nomos up` starts the daemon.",
  new: '`nomos run "prompt"` starts a session.',
  create: '`nomos run "prompt"` starts a session; `nomos agent create` makes an agent.',
  chat: '`nomos attach SESSION` talks to a session; `nomos run "prompt"` starts one.',
  resume: "`nomos attach SESSION` continues a session; `nomos ps --all` lists them.",
  continue: "`nomos attach SESSION` continues a session; `nomos ps --all` lists them.",
  connect: "`nomos attach SESSION` follows a session and talks to it.",
  delete: "`nomos kill SESSION` ends a session; `nomos rm SESSION` also removes it from every list.",
  remove: "`nomos kill SESSION` ends a session; `nomos rm SESSION` also removes it from every list.",
  log: "`nomos logs SESSION` shows a transcript; `nomos daemon logs` the daemon's own log.",
  tail: "`nomos logs -f SESSION` follows a transcript.",
  history: "`nomos logs SESSION` shows a transcript; `nomos session events SESSION` every event.",
  inspect: "`nomos session show SESSION` shows one session.",
  info: "`nomos status` is about the daemon, `nomos session show SESSION` about a session.",
  undo: "`nomos rewind SESSION --turn N` brings talk and files back to the end of turn N.",
  branch: "`nomos fork SESSION` starts a new session from this one.",
  login: "Log in with the agent's own program; `nomos driver check AGENT` says whether it works.",
  auth: "Log in with the agent's own program; `nomos driver check AGENT` says whether it works.",
  install: "`nomos driver install AGENT` installs an agent; `nomos driver list` lists them.",
  agents: "`nomos agent list` lists the agents.",
  settings: "`nomos config` shows the configuration.",
  quit: "`nomos down` stops the daemon; sessions hibernate.",
  shutdown: "`nomos down` stops the daemon; sessions hibernate.",
  allow: "`nomos approve SESSION` answers its question with yes.",
  deny: "`nomos reject SESSION` answers its question with no.",
  find: "`nomos session search WORDS` searches all sessions.",
  search: "`nomos session search WORDS` searches all sessions.",
};

/** Verbs with the same meaning: of a subject that has others of the row, the first of them was meant. */
const SAME: readonly (readonly string[])[] = [
  ["list", "ls", "ps", "all"],
  ["remove", "rm", "delete", "forget", "revoke", "uninstall"],
  ["show", "get", "info", "inspect", "describe", "view", "read", "cat"],
  ["start", "new", "create", "add", "open", "issue", "run", "write", "install"],
  ["kill", "stop", "end", "terminate", "shutdown", "interrupt"],
  ["prompt", "send", "say", "chat"],
  ["label", "rename", "name", "title"],
  ["replace", "set", "update", "edit"],
  ["search", "find", "grep"],
  ["rewind", "undo", "reset"],
  ["output", "logs", "log", "tail"],
  ["verify", "check", "test"],
  ["use", "switch", "select", "default"],
];

/** The verb of a subject that means the same as a foreign one. */
export function sameVerb(given: string, verbs: readonly string[]): string | null {
  const same = SAME.filter((row) => row.includes(given)).flat();
  return same.find((verb) => verbs.includes(verb)) ?? null;
}
