import type { Bench, Figure } from "../harness.ts";
import type { Contender, ContenderName, Setting } from "./contender.ts";
import type { Model, ModelRecord } from "./model.ts";

/** What each measurement gets: one model, and the contenders that still take part. */
export interface Arena {
  readonly bench: Bench;
  readonly model: Model;
  readonly setting: Setting;
  readonly contenders: () => readonly Contender[];
  /** A contender that failed is named in the result, and the others go on. */
  readonly drop: (name: ContenderName, cause: unknown) => void;
  /** A name that no session has had. */
  readonly conversation: () => string;
}

/** What a contender measures of itself, in rounds. */
export interface Entry<Sample> extends AsyncDisposable {
  readonly sample: () => Promise<Sample>;
}

export type Samples<Sample> = ReadonlyMap<ContenderName, readonly Sample[]>;

/** Takes turns, every second round in reverse, so that other load on the machine affects all alike. */
export async function compete<Sample>(
  arena: Arena,
  rounds: { readonly warmUp: number; readonly measured: number },
  enter: (contender: Contender) => Promise<Entry<Sample>>,
): Promise<Samples<Sample>> {
  const samples = new Map<ContenderName, Sample[]>();
  await using entered = new AsyncDisposableStack();
  const entries: { readonly name: ContenderName; readonly entry: Entry<Sample> }[] = [];
  const attempt = async (name: ContenderName, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (cause) {
      samples.delete(name);
      arena.drop(name, cause);
    }
  };
  const takesPart = (name: ContenderName) => arena.contenders().some((contender) => contender.name === name);
  for (const contender of arena.contenders())
    await attempt(contender.name, async () => {
      entries.push({ name: contender.name, entry: entered.use(await enter(contender)) });
    });
  for (let round = 0; round < rounds.warmUp + rounds.measured; round += 1)
    for (const { name, entry } of round % 2 === 0 ? entries : entries.toReversed()) {
      if (!takesPart(name)) continue;
      await attempt(name, async () => {
        const sample = await entry.sample();
        if (round >= rounds.warmUp) samples.set(name, [...(samples.get(name) ?? []), sample]);
      });
    }
  return samples;
}

/** The requests of a task itself; titles and summaries are asked for beside it. */
export function taskRequests(records: readonly ModelRecord[]): readonly ModelRecord[] {
  return records.filter(({ reply }) => reply !== "aside").toSorted((a, b) => a.atMs - b.atMs);
}

export function firstRequest(records: readonly ModelRecord[]): ModelRecord {
  const [first] = taskRequests(records);
  if (first === undefined) throw new Error("the model was asked for nothing");
  return first;
}

const PEERS: readonly ContenderName[] = ["pi", "opencode"];

/** Ours against the best peer, or against the bare client where no peer could be measured. None without ours. */
export function versusPeers(
  { bench }: Pick<Arena, "bench">,
  figure: Pick<Figure, "name" | "what" | "unit" | "aim"> & { readonly details?: Figure["details"] },
  values: ReadonlyMap<ContenderName, number>,
): readonly Figure[] {
  const spelled = [...values].map(([name, value]) => `${name} ${value.toPrecision(3)}`);
  bench.say(`${figure.name}: ${spelled.join(", ")} ${figure.unit}`);
  const value = values.get("nomos");
  const best = bestOf(values, PEERS) ?? bestOf(values, ["bare"]);
  if (value === undefined || best === null) return [];
  const others = [...values].filter(([name]) => name !== "nomos").map(([name, other]) => [name, other] as const);
  const details = { ...Object.fromEntries(others), ...figure.details };
  return [{ ...figure, value, baseline: { what: best.name, value: best.value }, details }];
}

function bestOf(
  values: ReadonlyMap<ContenderName, number>,
  names: readonly ContenderName[],
): { readonly name: ContenderName; readonly value: number } | null {
  const found = names.flatMap((name) => {
    const value = values.get(name);
    return value === undefined ? [] : [{ name, value }];
  });
  return found.toSorted((a, b) => a.value - b.value)[0] ?? null;
}

/** One number per contender. */
export function summed<Sample>(
  samples: Samples<Sample>,
  summary: (samples: readonly Sample[]) => number,
): ReadonlyMap<ContenderName, number> {
  return new Map([...samples].map(([name, taken]) => [name, summary(taken)]));
}
