// A model is a function here: it gets the conversation and answers with text, or with pieces and calls.
import { createNomos, type ModelRequest } from "nomos";

async function* answer({ messages }: ModelRequest) {
  const last = messages.at(-1);
  if (last?.role === "tool") yield `The file says: ${last.text.trim()}`;
  else yield { call: "read", input: { path: "note.txt" } };
}

await using nomos = await createNomos({ home: "./.my-agent", model: "mine/small", providers: { mine: answer } });
const session = await nomos.session();
console.log(await session.answer("What does note.txt say?"));
