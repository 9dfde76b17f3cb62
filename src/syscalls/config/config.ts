import * as z from "zod";
import type { ExplainedSetting } from "../../services/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const Setting = z.object({
  key: z.string(),
  value: z.unknown().describe("the value in force, with possible secrets hidden; null: not set, and without a default"),
  from: z.enum(["default", "config.json", "environment", "option"]),
  default: z.unknown().describe("null: it has none"),
  restart: z.boolean().describe("a change takes effect after a restart"),
  meaning: z.string(),
  schema: z.record(z.string(), z.unknown()).describe("what may be given, as a JSON schema"),
});

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
  read({
    name: "config.explain",
    summary: "Show settings with the value in force, its default and where it comes from",
    permission: "system.read",
    roles: ["viewer"],
    needs: ["config", "daemon"],
    about: "system",
    input: z.object({
      key: z.string().max(256).optional().describe("a setting, such as `limits.homeBytes`; default: all of them"),
    }),
    output: z.object({ settings: z.array(Setting) }),
    errors: ["unknown_setting"],
    http: { method: "GET", path: "/api/config/settings" },
    cli: { positional: ["key"] },
    answer: async ({ services }, { key }) => ({
      settings: services.config.explained(key).map((setting) => withPort(setting, services.daemon.port())),
    }),
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

/** `nomos up --port` overrides the configuration and the environment; 0 stands for any free port. */
function withPort(setting: ExplainedSetting, port: number): ExplainedSetting {
  if (setting.key !== "port" || setting.value === port) return setting;
  return { ...setting, value: port, from: setting.value === 0 ? setting.from : "option" };
}
