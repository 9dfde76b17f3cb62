/** What is chosen out of the log, as it stands in the page's address. */
export interface Chosen {
  readonly type: string;
  readonly stream: string;
  readonly agent: string;
  readonly actor: string;
  /** As `datetime-local` inputs write it, in the browser's time. */
  readonly from: string;
  readonly until: string;
}

const NAMES = ["type", "stream", "agent", "actor", "from", "until"] as const;

export function chosenIn(query: URLSearchParams): Chosen {
  const at = (name: keyof Chosen): string => query.get(name)?.slice(0, 200) ?? "";
  const [type, stream, agent, actor, from, until] = NAMES.map(at);
  return {
    type: type ?? "",
    stream: stream ?? "",
    agent: agent ?? "",
    actor: actor ?? "",
    from: from ?? "",
    until: until ?? "",
  };
}

export function isNothing(chosen: Chosen): boolean {
  return NAMES.every((name) => chosen[name] === "");
}

export function addressOf(chosen: Partial<Chosen>, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries({ ...chosen, ...more }).filter(([, value]) => value !== ""));
  return query.size === 0 ? "/ui/audit" : `/ui/audit?${query}`;
}

/** Null when somebody typed half a time. */
export function timeOf(local: string): string | null {
  const ms = local === "" ? Number.NaN : new Date(local).getTime();
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
