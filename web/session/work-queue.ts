/** Runs work one after the other. Work of the same name waits only once. */
export interface Queue {
  readonly add: (name: string, work: () => Promise<unknown>) => void;
  /** True when nothing waits; something may run. */
  readonly isEmpty: () => boolean;
}

interface QueueDeps {
  readonly isOver: () => boolean;
  readonly begin: () => void;
  /** Null: it went well. */
  readonly done: (error: unknown) => void;
}

export function createQueue({ isOver, begin, done }: QueueDeps): Queue {
  const waiting = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  return {
    add: (name, work) => {
      if (waiting.has(name)) return;
      waiting.add(name);
      last = last.then(async () => {
        waiting.delete(name);
        if (isOver()) return;
        begin();
        await work().then(() => done(null), done);
      });
    },
    isEmpty: () => waiting.size === 0,
  };
}
