import { z } from "zod";
import { startServer } from "../processes.ts";

/** What the model saw of one request. Times are those of the shared clock. */
const ModelRecord = z.object({
  conversation: z.string(),
  reply: z.enum(["call", "text", "aside"]),
  /** When its head arrived. */
  atMs: z.number(),
  /** When all of it had arrived. */
  readMs: z.number(),
  /** Of the whole body. */
  bytes: z.number(),
  messageBytes: z.number(),
  /** Of the messages: the same as in the request before. */
  cachedBytes: z.number(),
  /** When the first piece of the answer was sent. */
  firstMs: z.number(),
  /** When the last byte of the answer was sent. */
  lastMs: z.number(),
});
export type ModelRecord = z.infer<typeof ModelRecord>;

export interface Model extends AsyncDisposable {
  /** Without a path, as agents' configurations want it in different places. */
  readonly url: string;
  /** Hands out each record once, in the order of the answers. */
  readonly records: (conversation: string) => Promise<readonly ModelRecord[]>;
}

const Answer = z.object({ records: z.array(ModelRecord) });

export async function startModel(): Promise<Model> {
  const server = await startServer(new URL("./model-server.ts", import.meta.url), []);
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    records: async (conversation) => {
      const answer = await fetch(`${url}/records?conversation=${encodeURIComponent(conversation)}`);
      return Answer.parse(await answer.json()).records;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
