import { type Bounds, type Committer, createCommitter, UNBOUNDED } from "../../src/commit/index.ts";
import { systemClock } from "../../src/host/index.ts";
import { openSession, Session } from "../../src/kernel/index.ts";
import { openSqliteStore, type Store } from "../../src/store/index.ts";
import { newRedactor } from "./redactor.ts";
import { makeTestHome, newId, SPEC } from "./store-home.ts";
import { throwOnFatal } from "./store-sqlite.ts";

/** A committer on a real store whose appends can be held back and counted. */
export interface CommitHome extends AsyncDisposable {
  readonly store: Store;
  readonly committer: Committer;
  /** How many appends the committer has made. */
  readonly appends: () => number;
  /** Appends from now on wait until the returned function is called; with an error they then fail. */
  readonly hold: (fails?: Error) => () => void;
  /** Resolves when an append waits since the last `hold`: what it rests on has been read. */
  readonly held: () => Promise<void>;
  readonly openSession: () => Promise<string>;
}

export const BY = { actor: "test" };

export async function makeCommitHome(given: { readonly bounds?: Bounds } = {}): Promise<CommitHome> {
  const home = await makeTestHome();
  const store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
  let count = 0;
  let gate: Promise<void> = Promise.resolve();
  let arrived = Promise.withResolvers<void>();
  const append: Store["append"] = async (...appended) => {
    count += 1;
    arrived.resolve();
    await gate;
    return store.append(...appended);
  };
  const bounds = given.bounds ?? UNBOUNDED;
  const committer = createCommitter({
    store: { ...store, append },
    clock: systemClock(),
    newId,
    fence: 0,
    bounds,
    redactor: newRedactor(),
  });
  return {
    store,
    committer,
    appends: () => count,
    hold: (fails) => {
      const held = Promise.withResolvers<void>();
      arrived = Promise.withResolvers();
      gate = held.promise;
      return () => {
        gate = Promise.resolve();
        if (fails === undefined) held.resolve();
        else held.reject(fails);
      };
    },
    held: () => arrived.promise,
    openSession: async () => {
      const id = newId();
      await committer.change(Session, id, (state) => openSession(state, { spec: SPEC, label: null }), BY);
      return id;
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await home[Symbol.asyncDispose]();
    },
  };
}
