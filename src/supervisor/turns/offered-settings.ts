import { NomosError } from "../../contract/index.ts";
import type { DriverOffer, DriverSettings } from "../../kernel/index.ts";

/** Checks settings against the agent's offer. Without an offer the agent itself checks them when it starts. */
export function refuseUnoffered(offer: DriverOffer | null, settings: Partial<DriverSettings>): void {
  if (offer === null) return;
  const { mode, model, options = {} } = settings;
  const modes = [...offer.modes.map(({ id }) => id), ...valuesOf(offer, "mode")];
  if (mode != null && !modes.includes(mode)) throw new NomosError("unknown_mode", { mode, modes });
  const models = valuesOf(offer, "model");
  if (model != null && !models.includes(model)) throw new NomosError("unknown_model", { model, models });
  for (const [id, value] of Object.entries(options)) {
    const option = offer.options.find((one) => one.id === id);
    const known = offer.options.map((one) => one.id);
    if (option === undefined) throw new NomosError("unknown_option", { option: id, options: known });
    if (option.values.length > 0 && !option.values.includes(String(value)))
      throw new NomosError("unknown_option", { option: id, value, values: [...option.values] });
  }
}

function valuesOf(offer: DriverOffer, category: string): string[] {
  return offer.options.filter((option) => option.category === category).flatMap(({ values }) => [...values]);
}
