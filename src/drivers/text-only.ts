import type { Attachment, DriverSettings } from "../kernel/index.ts";
import { DriverError } from "../turns/index.ts";

/** For a driver without settings: a setting is refused instead of silently ignored. */
export function refuseSettings(slug: string): (settings: Partial<DriverSettings>) => void {
  return ({ mode, model, options = {} }) => {
    if (mode != null) throw new DriverError("unknown_mode", `${slug} has no modes`, { mode, modes: [] });
    if (model != null) throw new DriverError("unknown_model", `${slug} has no models`, { model, models: [] });
    const [option] = Object.keys(options);
    if (option !== undefined)
      throw new DriverError("unknown_option", `${slug} has no options`, { option, options: [] });
  };
}

/** For a driver that takes only text. */
export function refuseAttachments(slug: string, attachments: readonly Attachment[]): void {
  const [first] = attachments;
  if (first === undefined) return;
  const { name, mediaType } = first;
  throw new DriverError("content_unsupported", `${slug} takes text alone`, { name, mediaType });
}
