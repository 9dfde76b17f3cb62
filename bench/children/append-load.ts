/** `HOME WRITERS EVENTS`: appends events with several writers, while the caller counts its system calls. */
import { createAppendLoad } from "../append-load.ts";
import { openStore } from "../store-home.ts";

const [home = "", writers = "1", events = "0"] = process.argv.slice(2);
const store = await openStore(home);
const load = createAppendLoad(store);
await load.appendMany(await load.openStreams(Number(writers)), Number(events));
await store.close();
