import { DriverError, type EngineErrorCode } from "../../turns/index.ts";
import type { ApartAnswer, ModelRef, ToEngine } from "../link/protocol.ts";
import type { ModelRequest } from "../model.ts";
import type { OtherAnswer } from "../replay/replay-order.ts";

/** Requests to models that belong to no turn, as the daemon follows them. */
export interface ApartRequests {
  readonly ask: (order: ApartRequest, signal: AbortSignal) => Promise<OtherAnswer>;
  readonly answered: (id: number, answer: ApartAnswer) => void;
  /** The process has ended: nothing is answered any more. */
  readonly end: (error: DriverError) => void;
}

export interface ApartRequest {
  readonly model: ModelRef;
  readonly token: string | null;
  readonly request: ModelRequest;
}

export function createApartRequests(send: (message: ToEngine) => void, nextId: () => number): ApartRequests {
  const asks = new Map<number, PromiseWithResolvers<ApartAnswer>>();
  let ended: DriverError | null = null;
  return {
    answered: (id, answer) => asks.get(id)?.resolve(answer),
    end: (error) => {
      ended = error;
      for (const waiting of asks.values()) waiting.reject(error);
    },
    ask: async (order, signal) => {
      if (ended !== null) throw ended;
      signal.throwIfAborted();
      const id = nextId();
      const over = Promise.withResolvers<ApartAnswer>();
      asks.set(id, over);
      const abort = () => send({ kind: "abort", run: id });
      signal.addEventListener("abort", abort, { once: true });
      try {
        send({ kind: "ask", id, ...order });
        const answer = await over.promise;
        signal.throwIfAborted();
        if (!answer.ok) throw new DriverError(answer.code as EngineErrorCode, answer.message);
        return answer;
      } finally {
        signal.removeEventListener("abort", abort);
        asks.delete(id);
      }
    },
  };
}
