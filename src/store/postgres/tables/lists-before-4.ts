/** The tables of lists as earlier versions created them, by name. They identify an old log and are converted from. */
const OTHERS: { readonly [list: string]: string } = {
  approval: `CREATE TABLE approvals(id bytea NOT NULL, session bytea NOT NULL, status bytea NOT NULL, row bytea NOT NULL, sum bigint NOT NULL, PRIMARY KEY(id)) WITH (fillfactor = 100);
CREATE INDEX approvals_status ON approvals(status, id)`,
  agent:
    "CREATE TABLE agents(id bytea NOT NULL, row bytea NOT NULL, sum bigint NOT NULL, PRIMARY KEY(id)) WITH (fillfactor = 100)",
  token: `CREATE TABLE tokens(id bytea NOT NULL, secret bytea, row bytea NOT NULL, sum bigint NOT NULL, PRIMARY KEY(id)) WITH (fillfactor = 100);
CREATE INDEX tokens_secret ON tokens(secret)`,
  system:
    "CREATE TABLE system(id bytea NOT NULL, row bytea NOT NULL, sum bigint NOT NULL, PRIMARY KEY(id)) WITH (fillfactor = 50)",
};

const SESSIONS_BEFORE_3 = `CREATE TABLE sessions(id bytea NOT NULL, name bytea NOT NULL, alive smallint NOT NULL, shown smallint NOT NULL, active smallint NOT NULL, row bytea NOT NULL, sum bigint NOT NULL, PRIMARY KEY(id)) WITH (fillfactor = 50);
CREATE INDEX sessions_name ON sessions(name);
CREATE INDEX sessions_alive ON sessions(alive, id);
CREATE INDEX sessions_active ON sessions(id) WHERE active = 1`;

const SESSIONS_AT_3 = `CREATE TABLE sessions(id bytea NOT NULL, name bytea NOT NULL, alive smallint NOT NULL, shown smallint NOT NULL, active smallint NOT NULL, workspace bytea NOT NULL, row bytea NOT NULL, sum bigint NOT NULL, PRIMARY KEY(id)) WITH (fillfactor = 50);
CREATE INDEX sessions_name ON sessions(name);
CREATE INDEX sessions_alive ON sessions(alive, id);
CREATE INDEX sessions_workspace ON sessions(workspace, id);
CREATE INDEX sessions_active ON sessions(id) WHERE active = 1`;

export function listsBefore(version: number): readonly (readonly [name: string, made: string])[] {
  return [["session", version < 3 ? SESSIONS_BEFORE_3 : SESSIONS_AT_3], ...Object.entries(OTHERS)];
}
