// A policy decides at once, beside the rules of the home; `approve` answers what it leaves open, and may take its time.
import { createNomos } from "nomos";

await using nomos = await createNomos({
  home: "./.my-agent",
  model: "demo/script",
  policy: ({ verb, resource }) => {
    if (verb === "tool.run") return "deny";
    return verb === "tool.write" && !resource.startsWith("path/drafts/") ? "ask" : "allow";
  },
  approve: async ({ detail }) => (detail.path === "notes.txt" ? "approve" : { reject: "not that file" }),
});
const session = await nomos.session();
const script = "write drafts/a.txt one\nwrite notes.txt two\nwrite other.txt three\nrun rm -rf .\nsay done";
for await (const event of session.prompt(script))
  if (event.kind === "tool-end") console.log(`${event.title}: ${event.outcome}`);
