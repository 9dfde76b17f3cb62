import { join } from "node:path";
import * as z from "zod";
import { readSmallFile, writeFileAtomic } from "../../host/index.ts";

/** What people answered about repositories' tools, by the sha256 of the file. */
export interface FileAnswers {
  readonly of: (sha256: string) => Promise<"yes" | "no" | null>;
  readonly remember: (hashes: readonly string[], answer: "yes" | "no") => Promise<void>;
}

const FILE = "tool-answers.json";
const ANSWERS_MAX = 5000;
const FILE_BYTES_MAX = 4_194_304;
const Answers = z.record(z.string().regex(/^[0-9a-f]{64}$/), z.enum(["yes", "no"]));

/** In a file of the home, which no session can write. Read each time: it is small, and a person may edit it. */
export function openFileAnswers(home: string): FileAnswers {
  const path = join(home, FILE);
  let writing: Promise<void> = Promise.resolve();
  const read = async (): Promise<z.infer<typeof Answers>> => {
    const text = await readSmallFile(path, FILE_BYTES_MAX);
    return text === null ? {} : Answers.parse(JSON.parse(text));
  };
  return {
    of: async (sha256) => (await read())[sha256] ?? null,
    remember: (hashes, answer) => {
      const add = async (): Promise<void> => {
        // Newest last; the oldest are asked again.
        const { ...before } = await read();
        for (const hash of hashes) delete before[hash];
        const all = [...Object.entries(before), ...hashes.map((hash) => [hash, answer] as const)].slice(-ANSWERS_MAX);
        await writeFileAtomic(path, Buffer.from(`${JSON.stringify(Object.fromEntries(all), null, 1)}\n`), {
          mode: 0o600,
        });
      };
      const mine = writing.then(add);
      writing = mine.catch(() => undefined);
      return mine;
    },
  };
}
