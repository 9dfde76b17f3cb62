import { type Committer, createCommitter, UNBOUNDED } from "../../src/commit/index.ts";
import { systemClock } from "../../src/host/index.ts";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { onPostgres, testSchema } from "../support/postgres.ts";
import { newRedactor } from "../support/redactor.ts";
import { makeTestHome, newId } from "../support/store-home.ts";
import { throwOnFatal } from "../support/store-sqlite.ts";
import { MODULE } from "./aggregates.ts";
import { Reminder, setReminder, writeReminder } from "./reminder.ts";
import type { Plan } from "./reminder-events.ts";

export const BY = { actor: "test" };

/** A store with reminders, and its committer. */
export interface ReminderHome extends AsyncDisposable {
  readonly store: () => Store;
  readonly committer: () => Committer;
  readonly reopen: () => Promise<Store>;
  /** Changes the closed database directly. */
  readonly tamper: (statement: string) => Promise<void>;
  readonly remind: (plan: Partial<Plan> & Pick<Plan, "dueAt">, text?: string, blob?: string | null) => Promise<string>;
}

export type OpenReminders = () => Promise<ReminderHome>;

export async function openOnSqlite(): Promise<ReminderHome> {
  const home = await makeTestHome();
  const open = () => openSqliteStore({ home: home.path, onFatal: throwOnFatal, definitions: MODULE });
  const tamper = async (statement: string): Promise<void> => {
    const { DatabaseSync } = await import("node:sqlite");
    const { logPath } = await import("../../src/store/index.ts");
    const db = new DatabaseSync(logPath(home.path));
    db.exec(statement);
    db.close();
  };
  return reminderHome(open, tamper, home);
}

export async function openOnPostgres(): Promise<ReminderHome> {
  const schema = await testSchema();
  const open = () => openPostgresStore({ url: schema.url, onFatal: throwOnFatal, definitions: MODULE });
  const tamper = (statement: string): Promise<void> =>
    onPostgres(schema.url, async (client) => {
      await client.query(`SET search_path TO "${schema.name}"`);
      await client.query(statement);
    });
  return reminderHome(open, tamper, schema);
}

async function reminderHome(
  open: () => Promise<Store>,
  tamper: (statement: string) => Promise<void>,
  place: AsyncDisposable,
): Promise<ReminderHome> {
  let store = await open();
  return {
    ...remindersIn(() => store),
    store: () => store,
    reopen: async () => {
      await store.close();
      store = await open();
      return store;
    },
    tamper: async (statement) => {
      await store.close();
      await tamper(statement);
      store = await open();
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** The committer for whichever store is open. */
export function remindersIn(store: () => Store): Pick<ReminderHome, "committer" | "remind"> {
  const committer = (): Committer =>
    createCommitter({
      store: store(),
      clock: systemClock(),
      newId,
      fence: 0,
      bounds: UNBOUNDED,
      redactor: newRedactor(),
    });
  return {
    committer,
    remind: async (plan, text = "water the plants", blob = null) => {
      const id = newId();
      const { change } = committer();
      await change(Reminder, id, () => writeReminder(text, blob), BY);
      await change(Reminder, id, (state) => setReminder(state, plan), BY);
      return id;
    },
  };
}
