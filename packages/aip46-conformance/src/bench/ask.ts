import { expect } from "../expect.ts";
import type { Bench } from "./bench.ts";

export type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** A request that prepares a case and must succeed; resolves with the body of the answer. */
export function createAsk({ call }: Pick<Bench, "call">): Ask {
  return async (method, path, body) => {
    const answer = await call(method, path, body === undefined ? {} : { body });
    expect(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return answer.body;
  };
}
