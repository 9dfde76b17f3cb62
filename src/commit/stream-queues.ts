/** An entry in a stream's queue: work that needs the stream alone, or a change that can share an append. */
type Queued<Entry> = { readonly work: () => Promise<void> } | { readonly entry: Entry };

export interface StreamQueues<Entry> {
  /** Resolves with the work's result. Streams are always taken in the same order, so that there is no deadlock. */
  readonly alone: <T>(streams: readonly string[], work: () => Promise<T>) => Promise<T>;
  readonly join: (stream: string, entry: Entry) => void;
}

/**
 * One queue per stream, in order of arrival; streams do not wait for each other. Neighbouring entries that can share
 * are run together. `runTogether` settles its entries itself and never throws.
 */
export function createStreamQueues<Entry>(
  runTogether: (stream: string, entries: readonly Entry[]) => Promise<void>,
  entriesMax: number,
): StreamQueues<Entry> {
  const queues = new Map<string, { readonly waiting: Queued<Entry>[]; running: Promise<void> }>();

  const add = (stream: string, queued: Queued<Entry>): void => {
    const known = queues.get(stream);
    if (known !== undefined) {
      known.waiting.push(queued);
      return;
    }
    const fresh = { waiting: [queued], running: Promise.resolve() };
    queues.set(stream, fresh);
    fresh.running = run(stream, fresh.waiting);
  };

  const run = async (stream: string, waiting: Queued<Entry>[]): Promise<void> => {
    // Waits a moment, so that entries that arrive together are run together.
    await Promise.resolve();
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if ("work" in next) {
        waiting.shift();
        await next.work();
        continue;
      }
      const entries = waiting.splice(0, countEntries(waiting)).flatMap((one) => ("entry" in one ? one.entry : []));
      await runTogether(stream, entries);
    }
    queues.delete(stream);
  };

  const countEntries = (waiting: readonly Queued<Entry>[]): number => {
    const end = waiting.findIndex((queued) => "work" in queued);
    return Math.min(end === -1 ? waiting.length : end, entriesMax);
  };

  const aloneOn = <T>(stream: string, work: () => Promise<T>): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    add(stream, {
      work: async () => {
        const done = work();
        resolve(done);
        await done.catch(() => undefined);
      },
    });
    return promise;
  };

  return {
    alone: (streams, work) =>
      [...streams].sort().reduceRight<typeof work>((inner, stream) => () => aloneOn(stream, inner), work)(),
    join: (stream, entry) => add(stream, { entry }),
  };
}
