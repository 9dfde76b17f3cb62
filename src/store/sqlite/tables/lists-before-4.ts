/** The tables of lists as earlier versions created them, by name. They identify an old log and are converted from. */
const OTHERS: { readonly [list: string]: string } = {
  approval: `CREATE TABLE approvals(id TEXT PRIMARY KEY, session TEXT NOT NULL, status TEXT NOT NULL, row TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_status ON approvals(status, id)`,
  agent: `CREATE TABLE agents(id TEXT PRIMARY KEY, row TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  token: `CREATE TABLE tokens(id TEXT PRIMARY KEY, secret TEXT, row TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_secret ON tokens(secret)`,
  system: `CREATE TABLE system(id TEXT PRIMARY KEY, row TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
};

const SESSIONS_BEFORE_3 = `CREATE TABLE sessions(id TEXT PRIMARY KEY, name TEXT NOT NULL, alive INTEGER NOT NULL, shown INTEGER NOT NULL, active INTEGER NOT NULL, row TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_name ON sessions(name);
CREATE INDEX sessions_alive ON sessions(alive, id);
CREATE INDEX sessions_active ON sessions(id) WHERE active = 1`;

const SESSIONS_AT_3 = `CREATE TABLE sessions(id TEXT PRIMARY KEY, name TEXT NOT NULL, alive INTEGER NOT NULL, shown INTEGER NOT NULL, active INTEGER NOT NULL, workspace TEXT NOT NULL, row TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_name ON sessions(name);
CREATE INDEX sessions_alive ON sessions(alive, id);
CREATE INDEX sessions_workspace ON sessions(workspace, id);
CREATE INDEX sessions_active ON sessions(id) WHERE active = 1`;

export function listsBefore(version: number): readonly (readonly [name: string, made: string])[] {
  return [["session", version < 3 ? SESSIONS_BEFORE_3 : SESSIONS_AT_3], ...Object.entries(OTHERS)];
}
