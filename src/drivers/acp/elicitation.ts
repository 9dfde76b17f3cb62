import * as z from "zod";
import type { TurnPort } from "../../turns/index.ts";
import type { SaidNo } from "./said-no.ts";

const CANCELLED = { action: "cancel" };
const DECLINED = { action: "decline" };
const QUESTIONS_PER_TURN_MAX = 100;

/** Answers `elicitation/create`: the agent's question is put to the person as an approval. */
export function createElicitations(port: TurnPort, hearReply: SaidNo["hear"]) {
  let asked = 0;
  return async (params: unknown): Promise<object> => {
    const parsed = Elicitation.safeParse(params);
    asked += 1;
    if (!parsed.success || asked > QUESTIONS_PER_TURN_MAX) return CANCELLED;
    const { message, mode, url, requestedSchema } = parsed.data;
    try {
      if (mode === "url") {
        const reply = await port.ask(`${message}\n${url ?? ""}`, [DONE]);
        hearReply(message, reply);
        return reply.approved ? { action: "accept" } : DECLINED;
      }
      const fields = Object.entries(requestedSchema?.properties ?? {});
      const [only] = fields;
      const choices = fields.length === 1 && only !== undefined ? choicesOf(only[1]) : [];
      const reply = await port.ask(`${message}${choices.length > 0 ? "" : described(fields)}`, choices);
      hearReply(message, reply);
      if (!reply.approved) return DECLINED;
      const content = contentOf(fields, reply.option);
      return content === null ? DECLINED : { action: "accept", content };
    } catch {
      // The turn has ended: no answer will come.
      return CANCELLED;
    }
  };
}

const DONE = "done";
type Field = z.infer<typeof Property>;

function choicesOf(field: Field): string[] {
  if (field.type === "boolean") return ["true", "false"];
  return [...(field.enum ?? []), ...(field.oneOf ?? []).map(({ const: value }) => value)];
}

function described(fields: readonly (readonly [string, Field])[]): string {
  if (fields.length === 0) return "";
  const [only] = fields;
  if (fields.length === 1 && only !== undefined) return `\n(${only[1].title ?? only[0]})`;
  const example = Object.fromEntries(fields.map(([name, field]) => [name, field.title ?? field.type]));
  return `\nAnswer with JSON: ${JSON.stringify(example)}`;
}

/** Null when the answer does not fit the requested form. */
function contentOf(fields: readonly (readonly [string, Field])[], answer: string | null): object | null {
  if (fields.length === 0) return {};
  const [only] = fields;
  if (fields.length === 1 && only !== undefined) {
    const value = answer === null ? (only[1].default ?? null) : typed(only[1], answer);
    return value === null ? null : { [only[0]]: value };
  }
  const given = jsonObject(answer ?? "");
  if (given === null) return null;
  const known = fields.flatMap(([name]) => (Object.hasOwn(given, name) ? [[name, given[name]] as const] : []));
  return Object.fromEntries(known);
}

function typed(field: Field, answer: string): string | number | boolean | null {
  if (field.type === "boolean") return answer === "true";
  if (field.type !== "number" && field.type !== "integer") return answer;
  const value = Number(answer);
  return Number.isFinite(value) && (field.type === "number" || Number.isInteger(value)) ? value : null;
}

function jsonObject(text: string): { readonly [key: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // Text that is not JSON does not fit the form; the caller reports it.
    return null;
  }
}

const Property = z.looseObject({
  type: z.string(),
  title: z.string().nullish().catch(null),
  enum: z.array(z.string()).nullish().catch(null),
  oneOf: z
    .array(z.object({ const: z.string() }))
    .nullish()
    .catch(null),
  default: z.union([z.string(), z.number(), z.boolean()]).nullish().catch(null),
});
const Elicitation = z.object({
  message: z.string().max(20_000),
  mode: z.string(),
  url: z.string().nullish(),
  requestedSchema: z.object({ properties: z.record(z.string(), Property).nullish() }).nullish(),
});
