export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The Prometheus text format; lines that are none are left out. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value = ""] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const read = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
    return Number.isNaN(read) ? [] : [{ name, labels: labelsIn(labels), value: read }];
  });
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(LABEL)].map(([, name = "", value = ""]) => [name, unescaped(value)] as const);
  return Object.fromEntries(found);
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/g, (_all, character: string) => (character === "n" ? "\n" : character));
}

/** The first sample of a name whose labels have these values; null when there is none. */
export function sampleValue(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const wanted = Object.entries(labels);
  return (
    samples.find((sample) => sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value))
      ?.value ?? null
  );
}
