import { describe, expect } from "vitest";
import type { Store } from "../../../src/store/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { SCHEMA_VERSION } from "../../../src/store/postgres/tables/schema.ts";
import { startCutProxy } from "../../support/cut-proxy.ts";
import { onPostgres, schemaUrl, startPostgres, type TestSchema, testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, note, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

const SECRET = "not-the-password-4711";

describe("a store on PostgreSQL that cannot open", () => {
  proves(
    "PG-4",
    "no server, a wrong password, no such database, no address: each is named, and no password is shown",
    async () => {
      await using server = await startPostgres();
      const wrong = (change: (url: URL) => void): string => {
        const url = new URL(server.url);
        url.password = SECRET;
        change(url);
        return url.href;
      };
      const addresses = [
        wrong(() => undefined),
        wrong((url) => {
          url.port = "1";
        }),
        wrong((url) => {
          url.hostname = "no-such-host.invalid";
        }),
        wrong((url) => {
          url.pathname = "/no_such_database";
        }),
        `postgres://nomos:${SECRET}@[not a host`,
        wrong((url) => url.searchParams.set("schema", 'a"; DROP SCHEMA x')),
      ];
      for (const url of addresses) {
        const error: unknown = await open(url).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: "store_unreachable" });
        expect(everythingIn(error)).not.toContain(SECRET);
      }
    },
  );

  proves("PG-4", "a server that is too old, or that does not flush what it acknowledges, is refused", async () => {
    await using schema = await testSchema();
    await using proxy = await startCutProxy(schema.url);
    proxy.onAnswer((piece) => Buffer.from(piece.toString("latin1").replace(/1[4-9]0\d{3}/g, "130012"), "latin1"));
    await expect(open(proxy.url)).rejects.toMatchObject({
      code: "store_unsuitable",
      details: { problem: "the server is too old", needed: 14 },
    });
    await using careless = await startPostgres(["fsync=off"]);
    await expect(open(careless.url)).rejects.toMatchObject({ code: "store_unsuitable" });
    await onPostgres(careless.url, (client) =>
      client.query("CREATE DATABASE western ENCODING LATIN1 TEMPLATE template0 LOCALE 'C'"),
    );
    const western = new URL(careless.url);
    western.pathname = "/western";
    await expect(open(western.href)).rejects.toMatchObject({
      code: "store_unsuitable",
      details: { encoding: "LATIN1" },
    });
  });

  proves("PG-4", "a schema of a newer version, of another program, or changed: refused and left as it is", async () => {
    await using newer = await logIn("UPDATE meta SET version = 99");
    await expect(open(newer.url)).rejects.toMatchObject({
      code: "log_newer",
      details: { found: 99, known: SCHEMA_VERSION },
    });
    await using foreign = await testSchema();
    await onPostgres(foreign.url, (client) =>
      client.query(`CREATE SCHEMA "${foreign.name}"; CREATE TABLE "${foreign.name}".events(id integer)`),
    );
    await expect(open(foreign.url)).rejects.toMatchObject({ code: "log_corrupt" });
    for (const change of [
      "ALTER TABLE events DROP COLUMN salt",
      "ALTER TABLE sessions ALTER COLUMN alive TYPE bigint",
      "DROP TABLE calls",
      "DROP TABLE sessions",
      "DELETE FROM lists WHERE name = 'session'",
      "UPDATE lists SET made = '' WHERE name = 'agent'",
      "CREATE RULE nothing AS ON INSERT TO events DO INSTEAD NOTHING",
      "ALTER TABLE events ENABLE ROW LEVEL SECURITY",
      "DELETE FROM head",
      "DELETE FROM meta",
    ]) {
      await using changed = await logIn(change);
      await expect(open(changed.url), change).rejects.toMatchObject({ code: "log_corrupt" });
    }
  });

  proves("PG-4", "changed bytes at the end of the log are refused", async () => {
    for (const change of [
      "UPDATE events SET data = 'x' WHERE seq = 2",
      "UPDATE events SET header = header || ' ' WHERE seq = 3",
      "UPDATE events SET prev = hash WHERE seq = 3",
      "UPDATE events SET type = 'x.other@1' WHERE seq = 3",
      "DELETE FROM events WHERE seq = 2",
      "UPDATE streams SET name = 'session/x'",
    ]) {
      await using changed = await logIn(change);
      await expect(open(changed.url), change).rejects.toMatchObject({ code: "log_corrupt" });
    }
  });

  proves("PG-4", "a role or a database that can only read: refused, and nothing is written", async () => {
    await using schema = await logIn("SELECT 1");
    const role = `reader_${schema.name}`;
    const reader = new URL(schema.url);
    reader.username = role;
    reader.password = SECRET;
    await onPostgres(schema.url, (client) =>
      client.query(
        `CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'; GRANT USAGE ON SCHEMA "${schema.name}" TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA "${schema.name}" TO ${role}`,
      ),
    );
    await expect(open(reader.href)).rejects.toMatchObject({ code: "store_read_only" });
    await expect(open(schemaUrl(reader.href, `${schema.name}_new`))).rejects.toMatchObject({ code: "store_read_only" });
    await onPostgres(schema.url, (client) => client.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`));
    await expect(open(reader.href)).rejects.toMatchObject({ code: "store_read_only" });
    await onPostgres(schema.url, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  });

  proves("PG-4", "two stores that start at once on an empty schema make one log", async () => {
    await using schema = await testSchema();
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(schema.url)));
    await Promise.all(stores.map((store) => openSession(store)));
    expect(await stores[0]?.lastSeq()).toBe(6);
    expect(await stores[1]?.verify()).toMatchObject({ ok: true, events: 6, streams: 6 });
    await Promise.all(stores.map((store) => store.close()));
  });
});

function open(url: string): Promise<Store> {
  return openPostgresStore({ url, onFatal: throwOnFatal });
}

/** A closed log with a few events, to be changed from outside. */
async function logIn(change: string): Promise<TestSchema> {
  const schema = await testSchema();
  const store = await open(schema.url);
  const stream = await openSession(store);
  for (let n = 0; n < 3; n += 1) await appendTo(store, stream, [note(n)]);
  await store.close();
  await onPostgres(schema.url, (client) => client.query(`SET search_path TO "${schema.name}"; ${change}`));
  return schema;
}

/** Includes what a log would print of it. */
function everythingIn(thrown: unknown): string {
  const seen =
    thrown instanceof Error ? [thrown.message, thrown.stack, JSON.stringify(thrown), thrown.cause] : [thrown];
  return seen.map((part) => (part instanceof Error ? everythingIn(part) : String(part))).join("\n");
}
