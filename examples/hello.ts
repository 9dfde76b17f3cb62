// An agent in ten lines, on a home of its own: no daemon, no key, no network.
import { createNomos } from "nomos";

await using nomos = await createNomos({ home: "./.my-agent", model: "demo/script" });
const session = await nomos.session({ agent: "nomos", cwd: process.cwd() });
for await (const event of session.prompt("say hello")) {
  if (event.kind === "text") process.stdout.write(event.text);
  if (event.kind === "end") console.log(` (${event.outcome}, ${event.usage.output} tokens)`);
}
