import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { headerText, SALT_BYTES } from "../src/domains/index.ts";
import { bigintArray, byteaArray, uuidArray } from "../src/store/postgres/connection/arrays.ts";
import { createEventMaker } from "./session-facts.ts";

/**
 * The baseline on PostgreSQL: the same bytes, columns, indexes and encoding, over one connection. Each row sends bytes of
 * its own, as rows of the log do.
 */
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
    version bigint NOT NULL, id uuid NOT NULL UNIQUE, type bytea NOT NULL, prev bytea NOT NULL, header bytea NOT NULL,
    hash bytea NOT NULL, salt bytea, data bytea, UNIQUE (stream, version))`);
  const maker = createEventMaker(5);
  const { id, at, actor, cause, fact } = maker.custom();
  const dataHash = randomBytes(HASH_BYTES).toString("hex");
  const stream = `session/${maker.newId()}`;
  const header = Buffer.from(headerText({ id, stream, version: 1, type: fact.type, at, actor, cause, dataHash }));
  const data = Buffer.from(JSON.stringify(fact.data));
  const hash = randomBytes(HASH_BYTES);
  const salt = randomBytes(SALT_BYTES);
  const type = Buffer.from(fact.type);
  let seq = 0;

  const insert = async (count: number): Promise<void> => {
    const seqs = Array.from({ length: count }, (_, index) => seq + index + 1);
    seq += count;
    const each = (bytes: Uint8Array) => byteaArray(seqs.map(() => bytes));
    await client.query({
      name: "insert",
      text: `INSERT INTO bare.events SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::uuid[],
        $5::bytea[], $6::bytea[], $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[])`,
      values: [
        bigintArray(seqs),
        bigintArray(seqs.map((one) => one % count)),
        bigintArray(seqs.map((one) => Math.floor(one / count))),
        uuidArray(seqs.map(() => maker.newId())),
        ...[type, hash, header, hash, salt, data].map(each),
      ],
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
