// A function of this program as a tool of the model. `demo/script` calls what its prompt says.
import { createNomos } from "nomos";

const stock = new Map([["tea", 12]]);
await using nomos = await createNomos({
  home: "./.my-agent",
  model: "demo/script",
  tools: [
    {
      name: "stock",
      description: "How many of a thing are in stock.",
      input: { type: "object", properties: { thing: { type: "string" } }, required: ["thing"] },
      run: ({ thing }) => `${stock.get(String(thing)) ?? 0} of ${String(thing)}`,
    },
  ],
});
const session = await nomos.session();
for await (const event of session.prompt('call stock {"thing":"tea"}\nsay counted')) {
  if (event.kind === "tool") console.log(`calls ${event.title}`);
  if (event.kind === "tool-end") console.log(`gets ${event.output}`);
  if (event.kind === "text") console.log(event.text);
}
