import { join } from "node:path";
import { z } from "zod";
import { runChild } from "./processes.ts";

/** Homes that take long to build: each is built once per run, through appends, in its own process. */
export interface Homes {
  /** One session with a history of this many events. */
  readonly history: (events: number) => Promise<History>;
  /** This many sessions that each ran a turn, searchable. */
  readonly sessions: (count: number) => Promise<SessionsHome>;
}

const Built = z.object({ sessionId: z.string(), events: z.number(), seconds: z.number(), indexSeconds: z.number() });

export interface History extends z.infer<typeof Built> {
  readonly home: string;
}

export type SessionsHome = History;

export function createHomes(scratch: string): Homes {
  const built = new Map<string, Promise<History>>();
  const build = (kind: "history" | "sessions", size: number): Promise<History> => {
    const name = `${kind}-${size}`;
    const known = built.get(name);
    if (known !== undefined) return known;
    const home = join(scratch, name);
    const made = runChild(new URL("./children/build-home.ts", import.meta.url), [kind, home, String(size)]).then(
      (printed) => ({ home, ...Built.parse(JSON.parse(printed)) }),
    );
    built.set(name, made);
    return made;
  };
  return { history: (events) => build("history", events), sessions: (count) => build("sessions", count) };
}
