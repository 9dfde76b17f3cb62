/** `HOME SESSION fold|page`: one read of a session that this process has not seen. Prints the time it took. */
import { Session, sessionStream } from "../../src/kernel/index.ts";
import { timedMs } from "../harness.ts";
import { openStore } from "../store-home.ts";

const PAGE_EVENTS = 100;

const [home = "", sessionId = "", read = ""] = process.argv.slice(2);
const startMs = performance.now();
const store = await openStore(home);
const openMs = performance.now() - startMs;
const ms = await timedMs(() =>
  read === "fold" ? store.fold(Session, sessionId) : store.readStream(sessionStream(sessionId), { limit: PAGE_EVENTS }),
);
await store.close();
console.log(JSON.stringify({ ms, openMs }));
