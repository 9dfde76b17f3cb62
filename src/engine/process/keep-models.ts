import type { ModelRef } from "../link/protocol.ts";
import type { Model } from "../model.ts";

const MODELS_MAX = 64;

/** Models are kept between turns with what their provider's package has built. A changed setting makes a new one. */
export function keepModels(create: (ref: ModelRef) => Promise<Model>): (ref: ModelRef) => Promise<Model> {
  const models = new Map<string, Promise<Model>>();
  return (ref) => {
    const key = JSON.stringify(ref);
    const known = models.get(key) ?? create(ref);
    models.delete(key);
    models.set(key, known);
    const [oldest] = models.keys();
    if (models.size > MODELS_MAX && oldest !== undefined) models.delete(oldest);
    return known;
  };
}
