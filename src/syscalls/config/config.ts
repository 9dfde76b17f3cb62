import * as z from "zod";
import { read, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

export const config: readonly Syscall[] = [
  read({
    name: "config.show",
    summary: "Show the configuration in force, with possible secrets hidden",
    permission: "system.read",
    roles: ["viewer"],
    needs: ["config"],
    about: "system",
    input: z.object({}),
    output: z.object({ config: z.record(z.string(), z.unknown()) }),
    errors: [],
    http: { method: "GET", path: "/api/config" },
    cli: { positional: [], short: "config" },
    answer: async ({ services }) => ({ config: { ...services.config.shown() } }),
  }),
  write({
    name: "config.set",
    summary: "Change members of the configuration; null removes a member, a hidden value stays unchanged",
    permission: "system.admin",
    roles: [],
    needs: ["agents", "config", "drivers", "policy"],
    rights: "person",
    about: "system",
    input: z.object({ config: z.record(z.string().max(64), z.unknown()) }),
    output: z.object({ config: z.record(z.string(), z.unknown()), restart: z.array(z.string()) }),
    errors: ["sandbox_floor", "invalid_request", "policy_too_large"],
    http: { method: "PUT", path: "/api/config" },
    cli: { positional: [], says: ["Changed the configuration.", "Takes effect after `nomos restart`: {restart}"] },
    idempotent: true,
    commit: async (context, { config }) => {
      const { services } = context;
      await services.config.change(config);
      await services.agents.ensureBuiltIn(services.drivers.slugs());
      if (!Object.hasOwn(config, "policy")) return [];
      return services.policy.replace(services.config.show().policy?.rules ?? [], byOf(context));
    },
    answer: async ({ services }, { config }) => ({
      config: { ...services.config.shown() },
      restart: services.config.needRestart(Object.keys(config)),
    }),
  }),
];
