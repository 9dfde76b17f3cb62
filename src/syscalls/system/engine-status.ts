import * as z from "zod";
import { BreakerWire, breakersWire } from "../model/wire.ts";
import type { Services } from "../services.ts";

export const EngineStatus = z.object({
  engine: z
    .object({
      pid: z.number().int().nullable().describe("null while it has no process"),
      sessions: z.number().int().describe("sessions that it holds in memory"),
      turns: z.number().int().describe("turns that it runs"),
      crashes: z.number().int().describe("processes of it that crashed or hung since the daemon's start"),
    })
    .describe("the own engine"),
  models: z.object({
    default: z.string().nullable().describe("the model of sessions that name none"),
    breakers: z.array(BreakerWire).describe("providers that failed lately"),
  }),
});

export function engineStatus({ engine, models }: Pick<Services, "engine" | "models">): z.input<typeof EngineStatus> {
  return {
    engine: { ...engine.state() },
    models: { default: models.defaultModel(), breakers: breakersWire(engine) },
  };
}
