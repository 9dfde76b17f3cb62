// The same on the daemon that `nomos up` started: other programs, the dashboard and the command line see the session too.
import { createNomos } from "nomos";

await using nomos = await createNomos({ daemon: true });
const session = await nomos.session({ model: "demo/script" });
console.log(await session.answer("say hello from the daemon"));

// Another program, or this one after a restart, goes on by the session's id.
const again = await nomos.session({ id: session.id });
console.log(await again.answer("say still here"));
await again.end();
