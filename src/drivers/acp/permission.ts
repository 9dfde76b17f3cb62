import * as z from "zod";
import { ALWAYS } from "../../kernel/index.ts";
import { DriverError, type Reply, type TurnPort } from "../../turns/index.ts";
import type { TurnRecorder } from "../turn-recorder.ts";
import type { ToolChange } from "../update.ts";
import { detailOf } from "./question-detail.ts";
import type { SaidNo } from "./said-no.ts";
import { readToolCall } from "./updates.ts";
import { commandIn, wishOf } from "./wish.ts";

/** A plain yes allows the action once. */
const ONCE = "once";
/** Questions per turn: an agent that asks more is ended. */
const PERMISSIONS_PER_TURN_MAX = 500;

/**
 * Answers `session/request_permission`. No option is chosen because it is the first: only a person, or a policy that a
 * person wrote, allows; in every other case the answer is no.
 */
export function createPermissions(
  port: Pick<TurnPort, "permit"> & { readonly spec: Pick<TurnPort["spec"], "cwd"> },
  recorder: Pick<TurnRecorder, "toolAsked">,
  onTooMany: (error: DriverError) => void,
  hearReply: SaidNo["hear"],
) {
  let asked = 0;
  return async (params: unknown): Promise<object> => {
    const parsed = Request.safeParse(params);
    const call = parsed.success ? callOf(parsed.data) : null;
    if (!parsed.success || call === null) return CANCELLED;
    asked += 1;
    if (asked > PERMISSIONS_PER_TURN_MAX) {
      const permissionsPerTurnMax = PERMISSIONS_PER_TURN_MAX;
      onTooMany(new DriverError("limit_reached", "the agent asks for permission for ever", { permissionsPerTurnMax }));
      return CANCELLED;
    }
    const choices = choicesOf(parsed.data.options);
    try {
      const whole = await recorder.toolAsked(call);
      const options = [...choices.allow.keys()];
      const detail = detailOf(whole, port.spec.cwd);
      const question = questionOf(whole);
      const reply = await port.permit({ question, options, ...wishOf(whole), ...(detail === null ? {} : { detail }) });
      hearReply(question, reply);
      return selected(choices, reply);
    } catch {
      // The turn has ended, or too many questions are open: the agent gets a no. The turn's end says why.
      return CANCELLED;
    }
  };
}

type Call = Omit<ToolChange, "status">;
const CANCELLED = { outcome: { outcome: "cancelled" } };

interface Choices {
  /** The agent's option ids, by the word that a person answers with. */
  readonly allow: ReadonlyMap<string, string>;
  readonly reject: string | null;
}

function selected({ allow, reject }: Choices, reply: Reply): object {
  const optionId = reply.approved ? allow.get(reply.option ?? ONCE) : reject;
  // A yes in a form that the agent did not offer is not turned into a broader one.
  return optionId === undefined || optionId === null ? CANCELLED : { outcome: { outcome: "selected", optionId } };
}

/** `once` and `always` where the kind is enough; options of the same kind are named by the agent's titles. */
function choicesOf(options: z.infer<typeof Request>["options"]): Choices {
  const allow = new Map<string, string>();
  for (const [kind, word] of [
    ["allow_once", ONCE],
    ["allow_always", ALWAYS],
  ] as const) {
    const alike = options.filter((option) => option.kind === kind);
    for (const [at, { optionId, name }] of alike.entries()) allow.set(at === 0 ? word : name.slice(0, 200), optionId);
  }
  const reject =
    options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind === "reject_always");
  return { allow, reject: reject?.optionId ?? null };
}

function questionOf(call: Call): string {
  const diffs = (call.content ?? []).flatMap((item) => (item.is === "diff" ? [item.path] : []));
  const changes = diffs.length > 0 ? `changes ${diffs.map((path) => JSON.stringify(path)).join(", ")}` : null;
  const detail = commandIn(call.input, JSON.stringify) ?? changes ?? inputIn(call.input);
  const title = call.title ?? call.kind ?? "use a tool";
  // The title is the agent's own text. The real action is shown below it, unless the title is exactly that.
  const isSaid = detail === null || title === detail || title === `\`${detail}\``;
  return isSaid ? `May the agent: ${title}?` : `May the agent: ${title}?\n${detail}`;
}

const INPUT_CHARS_SHOWN = 4000;

/** Input of a tool that is neither a command nor a file change; a mark says how much is cut. */
function inputIn(input: unknown): string | null {
  if (typeof input !== "object" || input === null || Object.keys(input).length === 0) return null;
  const text = JSON.stringify(input);
  const more = text.length - INPUT_CHARS_SHOWN;
  return more <= 0 ? text : `${text.slice(0, INPUT_CHARS_SHOWN)} [${more} more characters are not shown]`;
}

/** Version 2 asks about a subject: a tool call, a command, or plain text. */
function callOf({ toolCall, subject, title }: z.infer<typeof Request>): ToolChange | null {
  const call = readToolCall(toolCall ?? subject?.toolCall);
  if (call !== null) return { ...call, title: namedTitle(call.title, toolCall) };
  const command = subject?.command ?? null;
  if (title == null && command === null) return null;
  const toolCallId = subject?.toolCallId ?? `permission: ${title ?? command}`.slice(0, 400);
  const kind = command === null ? "other" : "execute";
  return readToolCall({
    toolCallId,
    title: title ?? command,
    kind,
    ...(command === null ? {} : { rawInput: { command } }),
  });
}

/** Some agents use the tool's input as the title, and send the tool's name separately. */
function namedTitle(title: string | null, toolCall: unknown): string | null {
  const name = Named.safeParse(toolCall).data?._meta.toolName;
  if (name === undefined || title === null || title.toLowerCase().includes(name.toLowerCase()))
    return title ?? name ?? null;
  return `${name}: ${title}`;
}

const Named = z.object({ _meta: z.object({ toolName: z.string().min(1).max(200) }) });
const Request = z.object({
  toolCall: z.unknown().optional(),
  title: z.string().max(4000).nullish().catch(null),
  subject: z
    .object({
      toolCall: z.unknown().optional(),
      toolCallId: z.string().nullish().catch(null),
      command: z.string().nullish().catch(null),
    })
    .nullish()
    .catch(null),
  options: z
    .array(z.object({ optionId: z.string(), name: z.string(), kind: z.string() }))
    .min(1)
    .max(32),
});
