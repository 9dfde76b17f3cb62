import { z } from "zod";
import type { Price } from "../model.ts";

/** Limits and prices of well-known models, by VENDOR/MODEL. */
export interface Catalogue {
  /** The day of the data. */
  readonly version: string;
  readonly models: Readonly<Record<string, ModelFacts>>;
}

export interface ModelFacts {
  readonly window: number;
  readonly output: number;
  readonly images: boolean;
  readonly price: Price | null;
}

export const UNKNOWN_MODEL: ModelFacts = { window: 128_000, output: 8192, images: false, price: null };

const CATALOGUE_BYTES_MAX = 4 * 1024 * 1024;

const Count = z.int().min(0).max(1_000_000_000_000);
const Schema = z.strictObject({
  version: z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "a day such as 2026-11-01"),
  models: z
    .record(
      z.string().regex(/^[\w.:@-]+(\/[\w.:@-]+)+$/, "VENDOR/MODEL"),
      z.strictObject({
        window: Count.min(1),
        output: Count.min(1),
        images: z.boolean(),
        price: z.strictObject({ input: Count, output: Count, cacheRead: Count, cacheWrite: Count }).nullable(),
      }),
    )
    .refine((models) => Object.keys(models).length <= 20_000, "at most 20000 models"),
});

/** The data that comes with this version. Imported when the first model is made: commands without a model need none. */
export async function builtInCatalogue(): Promise<Catalogue> {
  const { default: data } = await import("./catalogue.json", { with: { type: "json" } });
  return data;
}

export type ReadCatalogue =
  | { readonly ok: true; readonly catalogue: Catalogue }
  | { readonly ok: false; readonly problem: string };

/** Validates a file that may replace the built-in data. */
export function readCatalogue(bytes: Uint8Array): ReadCatalogue {
  if (bytes.byteLength > CATALOGUE_BYTES_MAX)
    return { ok: false, problem: `The catalogue is larger than ${CATALOGUE_BYTES_MAX} bytes.` };
  let data: unknown;
  try {
    data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, problem: "The catalogue is not valid JSON." };
  }
  const read = Schema.safeParse(data);
  if (read.success) return { ok: true, catalogue: read.data };
  const issue = read.error.issues[0];
  return {
    ok: false,
    problem: `The catalogue is invalid at ${issue?.path.join(".") || "its top"}: ${issue?.message}.`,
  };
}

/**
 * Facts about NAME/MODEL, or null. The exact name wins; then the model's id with any vendor; then the longest known id
 * that the model's id continues, so that `claude-sonnet-4-5-20250929` finds `claude-sonnet-4-5`.
 */
export function lookUpModel(catalogue: Catalogue, name: string): ModelFacts | null {
  const exact = Object.hasOwn(catalogue.models, name) ? catalogue.models[name] : undefined;
  if (exact !== undefined) return exact;
  const wanted = plainId(name);
  let best: { readonly length: number; readonly facts: ModelFacts } | null = null;
  for (const [key, facts] of Object.entries(catalogue.models)) {
    const known = plainId(key);
    if (!continues(wanted, known) || (best !== null && best.length >= known.length)) continue;
    best = { length: known.length, facts };
  }
  return best?.facts ?? null;
}

/** Bedrock writes `us.anthropic.claude-...`, OpenRouter `claude-sonnet-4.5`, Ollama `qwen3:8b`. */
function plainId(name: string): string {
  const id = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  return id
    .replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|deepseek|qwen|openai)\./, "")
    .replaceAll(".", "-");
}

/** `gpt-5` is not continued by `gpt-5-5`: one or two digits more are another version, more digits are a date. */
function continues(wanted: string, known: string): boolean {
  if (!wanted.startsWith(known)) return false;
  const rest = wanted.slice(known.length);
  return rest === "" || (/^[^a-z0-9]/.test(rest) && !/^-\d{1,2}(?!\d)/.test(rest));
}
