import type { OutputOf } from "../../src/client/index.ts";

export type ListedModel = OutputOf<"model.list">["models"][number];

export interface ProviderModels {
  readonly name: string;
  readonly api: string;
  /** Null: it needs none. */
  readonly key: ListedModel["key"];
  /** The default first. */
  readonly models: readonly ListedModel[];
}

/** `NAME/MODEL` by NAME, in the order of the list; the one without a key last. */
export function providersOf(models: readonly ListedModel[]): readonly ProviderModels[] {
  const groups = Map.groupBy(models, ({ name }) => name.slice(0, name.indexOf("/")));
  const all = [...groups].map(([name, own]) => ({
    name,
    api: own[0]?.api ?? "",
    key: own[0]?.key ?? null,
    models: own.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault)),
  }));
  return all.toSorted((one, other) => Number(isDemo(one.name)) - Number(isDemo(other.name)));
}

/** The one provider that is always there. */
export function isDemo(provider: string): boolean {
  return provider === "demo";
}

export function matching(models: readonly ListedModel[], words: string): readonly ListedModel[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(({ name, api }) => wanted.every((word) => `${name} ${api}`.toLowerCase().includes(word)));
}

/** Dollars per million tokens. */
export function priceText(dollars: number): string {
  return `$${dollars.toFixed(dollars !== 0 && dollars < 0.1 ? 3 : 2)}`;
}
