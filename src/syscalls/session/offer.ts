import * as z from "zod";
import { SessionId, SessionWire } from "../../contract/index.ts";
import { Session } from "../../kernel/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { byOf, showSession } from "./answer.ts";
import { givenSettings, Settings } from "./prompt-input.ts";

const Choices = z.object({
  mode: z.string().nullable(),
  modes: z.array(z.object({ id: z.string(), name: z.string() })),
  options: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      category: z.string().nullable(),
      current: z.union([z.string(), z.boolean()]),
      values: z.array(z.string()),
    }),
  ),
  commands: z.array(z.object({ name: z.string(), description: z.string() })),
});

export const sessionOffer: readonly Syscall[] = [
  read({
    name: "session.offer",
    summary: "Show the modes, models, options and commands of a session's agent, and which are chosen",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["bounds", "store"],
    about: "session",
    input: z.object({ id: SessionId }),
    output: z.object({
      id: z.string(),
      chosen: z
        .object({
          mode: z.string().nullable(),
          model: z.string().nullable(),
          options: z.record(z.string(), z.union([z.string(), z.boolean()])),
        })
        .nullable(),
      offer: Choices.nullable().describe("null until the agent has reported its offer"),
    }),
    errors: ["session_not_found"],
    http: { method: "GET", path: "/sessions/:id/offer" },
    cli: { positional: ["id"] },
    answer: async (context, { id }) => {
      await showSession(context, id);
      const { driver } = await context.services.store.fold(Session, id);
      const { settings = null, offer = null } = driver ?? {};
      return {
        id,
        chosen: settings === null ? null : { ...settings, options: { ...settings.options } },
        offer:
          offer === null
            ? null
            : {
                mode: offer.mode,
                modes: [...offer.modes],
                options: offer.options.map((option) => ({ ...option, values: [...option.values] })),
                commands: [...offer.commands],
              },
      };
    },
  }),
  write({
    name: "session.configure",
    summary: "Set mode, model and options of a session's agent, from its next turn on",
    permission: "session.control",
    roles: [],
    needs: ["bounds", "store", "supervisor"],
    rights: "session",
    about: "session",
    input: z.object({ id: SessionId, ...Settings }),
    output: SessionWire,
    errors: [
      "sandbox_floor",
      "session_not_found",
      "session_ended",
      "unknown_mode",
      "unknown_model",
      "unknown_option",
      "invalid_option",
      "quota_exceeded",
      "disk_low",
    ],
    http: { method: "POST", path: "/sessions/:id/configure" },
    cli: {
      positional: ["id"],
      says: [
        "{name} uses the new settings from its next turn on.",
        "Next: nomos session offer {name} shows what is set",
      ],
    },
    idempotent: true,
    commit: (context, { id, ...settings }) =>
      context.services.supervisor.configure(id, givenSettings(settings), byOf(context)),
    answer: (context, { id }) => showSession(context, id),
  }),
];
