import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import type { ServedResult, ServedTool } from "../../turns/index.ts";
import { type Caller, callerOf, codeOf, orRefusal, type SessionCall, said } from "./session-call.ts";
import { parseInput, schemaOf } from "./tool-input.ts";

/** Options of the own engine that a session may set for itself. None of them widens what it may do. */
const OPTIONS = {
  thinking: { fits: (value: string) => /^(?:off|low|medium|high)$/.test(value), form: "off, low, medium or high" },
  steps: {
    fits: (value: string) => /^[1-9]\d{0,3}$/.test(value),
    form: "a number of steps; a turn never has more than the configuration allows",
  },
  budget: {
    fits: (value: string) => /^\d{1,6}(?:\.\d{1,6})?$/.test(value) && Number(value) > 0,
    form: "US dollars; a turn never costs more than the configuration allows",
  },
  compaction: { fits: (value: string) => /^(?:on|off)$/.test(value), form: "on or off" },
  schema: { fits: isSchema, form: "a JSON schema of at most 64 KB, or nothing" },
} as const;
type Option = keyof typeof OPTIONS;

const DOING = [
  "get",
  "model",
  ...(Object.keys(OPTIONS) as Option[]),
  "title",
  "label",
  "mark",
  "compact",
  "restart",
] as const;

const Input = z.strictObject({
  do: z.enum(DOING),
  value: z
    .string()
    .max(100_000)
    .optional()
    .describe("What it is set to; of compact, the focus; of restart, the prompt."),
});
type Input = z.infer<typeof Input>;
/** For what is shown and judged before the input is checked. */
const Loose = Input.partial();

/** More turns in a row that the session gave itself could go on without end while nobody looks. */
const OWN_TURNS_MAX = 5;

/** A session's own settings. They hold from its next turn on. */
export function controlTool(call: SessionCall): ServedTool {
  const parsed = (input: unknown): z.infer<typeof Loose> => Loose.safeParse(input).data ?? {};
  return {
    name: "control",
    description: [
      "Settings of this session, from its next turn on. `get` shows them. `model` takes NAME/MODEL.",
      ...Object.entries(OPTIONS).map(([name, { form }]) => `\`${name}\`: ${form}.`),
      "`title` and `label` name the session; `mark` labels this point of its history, so that one can go back to it.",
      "`compact` replaces the older conversation by a summary when this turn has ended; the value says what it should keep.",
      "`restart` ends this turn and begins a new one with the value as its prompt, with all settings and tools read anew.",
    ].join(" "),
    input: schemaOf(Input),
    kind: "control",
    redo: "safe",
    mode: "sequential",
    resource: (input) => `control/${parsed(input).do ?? ""}`,
    shown: (input) => [parsed(input).do, parsed(input).value].filter((part) => part !== undefined).join(" "),
    run: (input, about) =>
      orRefusal(() => {
        const given = parseInput(Input, input);
        return doIt(given, callerOf(call, about), about.sessionId);
      }),
  };
}

async function doIt({ do: doing, value }: Input, caller: Caller, sessionId: string): Promise<ServedResult> {
  switch (doing) {
    case "get":
      return get(caller);
    case "model":
      await once(() => caller.control("session.configure", { id: "self", model: required(value, doing) }));
      return said(`The next turn uses ${value}.`);
    case "title":
      await caller.write("session.rename", { id: "self", title: value ?? null });
      return said("Renamed.");
    case "label":
      await caller.write("session.label", { id: "self", label: value ?? null });
      return said("Labelled.");
    case "mark":
      return mark(caller, required(value, doing));
    case "compact":
      return ownTurn(caller, sessionId, value === undefined ? "/compact" : `/compact ${value}`);
    case "restart":
      return { ...(await ownTurn(caller, sessionId, required(value, doing))), ends: true };
    default:
      return setOption(caller, doing, value ?? "");
  }
}

/** Text that is no JSON would fail every turn to come, and the session could not take it back. */
function isSchema(value: string): boolean {
  if (value === "" || value.length > SCHEMA_CHARS) return value === "";
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

const SCHEMA_CHARS = 65_536;

function required(value: string | undefined, doing: string): string {
  if (value !== undefined && value.trim() !== "") return value;
  throw new NomosError("invalid_request", { field: "value" }, { message: `\`${doing}\` needs a value.` });
}

/** The same key with another request: an earlier run of this turn has done it. */
async function once(write: () => Promise<unknown>): Promise<void> {
  await write().catch((thrown: unknown) => {
    if (codeOf(thrown) !== "idempotency_key_reused") throw thrown;
  });
}

async function setOption({ control }: Caller, option: Option, value: string): Promise<ServedResult> {
  const { fits, form } = OPTIONS[option];
  if (!fits(value))
    throw new NomosError("invalid_option", { option, value: value.slice(0, 100) }, { message: `${option}: ${form}.` });
  await control("session.configure", { id: "self", options: { [option]: value } });
  return said(`${option} is ${value === "" ? "unset" : value} from the next turn on.`);
}

const Shown = z.object({
  name: z.string(),
  agent: z.string(),
  adapterSlug: z.string(),
  title: z.string().optional(),
  label: z.string().optional(),
  sandbox: z.string(),
  head: z.string().nullable(),
});
const Offer = z.object({
  chosen: z.object({ model: z.string().nullable(), options: z.record(z.string(), z.unknown()) }).nullable(),
});

async function get({ read }: Caller): Promise<ServedResult> {
  const { head: _head, ...shown } = Shown.parse(await read("session.show", { id: "self" }));
  const { chosen } = Offer.parse(await read("session.offer", { id: "self" }));
  const settings = { ...shown, model: chosen?.model ?? "the default", ...chosen?.options };
  return said(
    Object.entries(settings)
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
      .join("\n"),
  );
}

async function mark({ read, write }: Caller, label: string): Promise<ServedResult> {
  const { head } = Shown.parse(await read("session.show", { id: "self" }));
  if (head === null) throw new NomosError("event_not_found", { label });
  await once(() => write("session.mark", { id: "self", event: head, label }));
  return said(`This point is labelled ${label}.`);
}

const Admitted = z.object({ events: z.array(z.object({ actor: z.string() })) });

async function ownTurn({ read, control }: Caller, sessionId: string, prompt: string): Promise<ServedResult> {
  const query = { id: "self", types: ["turn.admitted"], order: "desc", limit: OWN_TURNS_MAX };
  const { events } = Admitted.parse(await read("session.events", query));
  if (events.length === OWN_TURNS_MAX && events.every(({ actor }) => actor === `session:${sessionId}`))
    throw new NomosError(
      "denied",
      { rules: ["own_turns_max"], turns: OWN_TURNS_MAX },
      { message: `The session gave itself the last ${OWN_TURNS_MAX} turns: a person has to give the next one.` },
    );
  await control("session.prompt", { id: "self", prompt, queue: true });
  return said("It is queued. End this turn now, without further calls.");
}
