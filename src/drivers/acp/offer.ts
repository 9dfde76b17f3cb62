import * as z from "zod";
import type { DriverOffer, OfferedOption } from "../../kernel/index.ts";

/** What an agent can be set to, collected from its answers and updates. */
export interface Offer {
  readonly hearAnswer: (answer: unknown) => void;
  /** Whether the update was understood. */
  readonly hearUpdate: (kind: string, update: unknown) => boolean;
  readonly now: () => DriverOffer;
  /** The offer, if it has changed since it was last taken. */
  readonly takeChange: () => DriverOffer | null;
}

const ITEMS_MAX = 64;
const VALUES_MAX = 256;
const COMMANDS_MAX = 200;
const CHARS_MAX = 300;

export function createOffer(): Offer {
  let now: DriverOffer = { mode: null, modes: [], options: [], commands: [] };
  let taken = JSON.stringify(now);
  const hearAnswer = (answer: unknown): void => {
    const parsed = Answer.safeParse(answer ?? {});
    if (!parsed.success) return;
    const { modes, configOptions } = parsed.data;
    if (modes != null)
      now = { ...now, mode: modes.currentModeId, modes: modes.availableModes.slice(0, ITEMS_MAX).map(named) };
    if (configOptions != null) now = { ...now, options: configOptions.slice(0, ITEMS_MAX).map(shown) };
  };
  return {
    hearAnswer,
    hearUpdate: (kind, update) => {
      if (kind === "available_commands_update") {
        const parsed = Commands.safeParse(update);
        const named = parsed.data?.availableCommands.slice(0, COMMANDS_MAX) ?? [];
        const commands = named.map(({ name, description }) => ({
          name: cut(name),
          description: cut(description ?? ""),
        }));
        if (parsed.success) now = { ...now, commands };
        return parsed.success;
      }
      if (kind === "current_mode_update") {
        const parsed = CurrentMode.safeParse(update);
        if (parsed.success) now = { ...now, mode: cut(parsed.data.currentModeId) };
        return parsed.success;
      }
      hearAnswer(update);
      return kind === "config_option_update";
    },
    now: () => now,
    takeChange: () => {
      const text = JSON.stringify(now);
      if (text === taken) return null;
      taken = text;
      return now;
    },
  };
}

const Named = z.object({ id: z.string(), name: z.string().catch("") });
const Value = z.object({ value: z.string() });
const Option = z.object({
  id: z.string().optional(),
  /** The name in version 2. */
  configId: z.string().optional(),
  name: z.string().catch(""),
  category: z.string().nullish().catch(null),
  currentValue: z.union([z.string(), z.boolean()]),
  options: z
    .array(z.union([Value, z.object({ options: z.array(Value) })]))
    .nullish()
    .catch(null),
});
const Answer = z.object({
  modes: z
    .object({ currentModeId: z.string(), availableModes: z.array(Named) })
    .nullish()
    .catch(null),
  configOptions: z.array(Option).nullish().catch(null),
});
const Commands = z.object({
  availableCommands: z.array(z.object({ name: z.string(), description: z.string().nullish().catch(null) })),
});
const CurrentMode = z.object({ currentModeId: z.string() });

function named({ id, name }: z.infer<typeof Named>): { readonly id: string; readonly name: string } {
  return { id: cut(id), name: cut(name || id) };
}

function shown(option: z.infer<typeof Option>): OfferedOption {
  const { name, category, currentValue, options } = option;
  const id = option.id ?? option.configId ?? "";
  const values = (options ?? []).flatMap((entry) => ("value" in entry ? [entry] : entry.options));
  return {
    id: cut(id),
    name: cut(name || id),
    category: category == null ? null : cut(category),
    current: typeof currentValue === "string" ? cut(currentValue) : currentValue,
    values: values.slice(0, VALUES_MAX).map(({ value }) => cut(value)),
  };
}

function cut(text: string): string {
  return text.slice(0, CHARS_MAX);
}
