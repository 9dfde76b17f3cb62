// An answer that fits a schema. `demo/script` answers with the smallest value that fits.
import { createNomos } from "nomos";

const schema = {
  type: "object",
  properties: { language: { enum: ["TypeScript", "Rust"] }, files: { type: "integer", minimum: 1 } },
  required: ["language", "files"],
};
await using nomos = await createNomos({ home: "./.my-agent", model: "demo/script" });
const session = await nomos.session();
const { language, files } = await session.answer<{ language: string; files: number }>("What is here?", { schema });
console.log(`${files} file in ${language}`);
