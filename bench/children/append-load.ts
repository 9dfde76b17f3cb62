/** `HOME WRITERS EVENTS`: appends so many events with so many writers, for whoever counts what that sets off below. */
import { createAppendLoad } from "../append-load.ts";
import { openStore } from "../store-home.ts";

const [home = "", writers = "1", events = "0"] = process.argv.slice(2);
const store = await openStore(home);
const load = createAppendLoad(store);
await load.appendMany(await load.openStreams(Number(writers)), Number(events));
await store.close();
