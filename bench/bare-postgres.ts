import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { headerText, SALT_BYTES } from "../src/domains/index.ts";
import { createEventMaker } from "./session-facts.ts";

/** The baseline on PostgreSQL: the same bytes, columns and indexes, over one connection. */
export interface BarePostgres {
  /** Writes this many events, this many per durable statement; returns events per second. */
  readonly write: (events: number, perCommit: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

const HASH_BYTES = 32;

export async function openBarePostgres(url: string): Promise<BarePostgres> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE SCHEMA bare; CREATE TABLE bare.events(seq bigint PRIMARY KEY, stream bigint NOT NULL,
    version bigint NOT NULL, id uuid NOT NULL UNIQUE, type text NOT NULL, prev bytea NOT NULL, header bytea NOT NULL,
    hash bytea NOT NULL, salt bytea, data bytea, UNIQUE (stream, version))`);
  const maker = createEventMaker(5);
  const { id, at, actor, cause, fact } = maker.custom();
  const dataHash = randomBytes(HASH_BYTES).toString("hex");
  const stream = `session/${maker.newId()}`;
  const header = Buffer.from(headerText({ id, stream, version: 1, type: fact.type, at, actor, cause, dataHash }));
  const data = Buffer.from(JSON.stringify(fact.data));
  const hash = randomBytes(HASH_BYTES);
  const salt = randomBytes(SALT_BYTES);
  let seq = 0;

  const insert = async (count: number): Promise<void> => {
    const seqs = Array.from({ length: count }, (_, index) => seq + index + 1);
    seq += count;
    await client.query({
      name: "insert",
      text: `INSERT INTO bare.events SELECT s, s % $2, s / $2, i, $4, $5, $6, $5, $7, $8
        FROM unnest($1::bigint[], $3::uuid[]) AS given(s, i)`,
      values: [seqs, count, seqs.map(() => maker.newId()), fact.type, hash, header, salt, data],
    });
  };
  return {
    write: async (events, perCommit) => {
      // Each round uses its own positions, so that no stream and version comes twice.
      await client.query("TRUNCATE bare.events");
      const startMs = performance.now();
      for (let written = 0; written < events; written += perCommit) await insert(perCommit);
      return (events / (performance.now() - startMs)) * 1000;
    },
    close: () => client.end(),
  };
}
