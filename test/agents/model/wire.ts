import type { Asked, Reply } from "./script.ts";

/** One vendor's way of asking a model and of being answered, piece by piece. */
export interface Wire {
  readonly matches: (method: string, path: string) => boolean;
  readonly read: (body: unknown) => Asked;
  /** The pieces of a stream, each as it goes over the wire; `pause` where a slow model would think. */
  readonly stream: (reply: Reply, body: unknown, number: number) => Iterable<string | typeof PAUSE>;
  /** The same answer to somebody who did not want a stream. */
  readonly whole: (reply: Reply, body: unknown, number: number) => object;
  readonly wantsStream: (body: unknown, path: string) => boolean;
}

export const PAUSE = Symbol("pause");

export function serverSent(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

/** The words of a slow answer in two pieces, so that the first of them is under way before the pause. */
export function pieces(reply: Extract<Reply, { is: "text" }>): readonly (string | typeof PAUSE)[] {
  return reply.pauseMs === 0 ? [reply.text] : ["thinking, ", PAUSE, reply.text];
}
