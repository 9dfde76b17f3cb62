import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { type DriverSettings, LIMITS } from "../../kernel/index.ts";
import type { Redactor } from "../../redaction/index.ts";

/** The size is checked later, because an oversized prompt has an error code of its own. */
export const Prompt = z.string().min(1).describe(`at most ${LIMITS.promptBytes} bytes`);

export function refuseLarge(prompt: string | undefined): void {
  const bytes = Buffer.byteLength(prompt ?? "");
  if (bytes > LIMITS.promptBytes)
    throw new NomosError("payload_too_large", { field: "prompt", bytes, maxBytes: LIMITS.promptBytes });
}

/** What was replaced in a prompt, so that its sender knows what the agent got. */
export const Redacted = z
  .array(z.object({ kind: z.string(), fingerprint: z.string(), count: z.number() }))
  .optional()
  .describe("secrets that marks replaced");

export function redactedIn(
  redactor: Redactor,
  prompt: string | undefined,
): { readonly redacted?: z.input<typeof Redacted> } {
  const found = Map.groupBy(redactor.find(prompt ?? ""), ({ kind, fingerprint }) => `${kind} ${fingerprint}`);
  const redacted = [...found.values()].flatMap(([one, ...more]) =>
    one === undefined ? [] : [{ kind: one.kind, fingerprint: one.fingerprint, count: more.length + 1 }],
  );
  return redacted.length === 0 ? {} : { redacted };
}

/** Attachments of a prompt. */
export const Attachments = z
  .array(
    z.object({
      kind: z.enum(["image", "resource", "link"]),
      name: z.string().min(1).max(300),
      mediaType: z.string().max(100).optional(),
      uri: z.string().max(4096).optional(),
      data: z
        .string()
        .max(Math.ceil((LIMITS.attachmentBytes * 4) / 3) + 4)
        .optional()
        .describe("the content in base64; leave it out for a link"),
    }),
  )
  .max(LIMITS.attachmentsMax)
  .describe("images, files and links; refused if the agent does not take one of them");

export function givenAttachments(items: z.infer<typeof Attachments> | undefined) {
  return (items ?? []).map(({ kind, name, mediaType, uri, data }) => ({
    kind,
    name,
    mediaType: mediaType ?? (kind === "image" ? "image/png" : "text/plain"),
    uri: uri ?? null,
    bytes: kind === "link" ? null : bytesOf(name, data ?? ""),
  }));
}

function bytesOf(name: string, data: string): Uint8Array {
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64").replace(/=+$/, "") !== data.replace(/=+$/, ""))
    throw new NomosError("invalid_request", { field: "attachments.data", name, problem: "this is no base64" });
  if (bytes.length > LIMITS.attachmentBytes)
    throw new NomosError("payload_too_large", { name, bytesMax: LIMITS.attachmentBytes });
  return bytes;
}

const Chosen = z.string().min(1).max(200);
const OPTION_CHARS = 500;
/** A JSON schema is the one option that is a document; with the others it fits into its event many times over. */
const SCHEMA_CHARS = 65_536;
const SCHEMA_OPTION = "schema";
/** Settings of an agent. `session offer` lists the values it accepts. */
export const Settings = {
  mode: Chosen.optional().describe("the agent's mode"),
  model: Chosen.optional().describe("the agent's model"),
  options: z
    .record(z.string().max(200), z.union([z.string().max(SCHEMA_CHARS), z.boolean()]))
    .superRefine((options, context) => {
      for (const [name, value] of Object.entries(options))
        if (name !== SCHEMA_OPTION && typeof value === "string" && value.length > OPTION_CHARS)
          context.addIssue({ code: "too_big", origin: "string", maximum: OPTION_CHARS, path: [name], input: value });
    })
    .optional()
    .describe("more settings; of the agent `nomos`: `schema`, a JSON schema that its answers have to fit"),
};

export function givenSettings(input: {
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
  readonly options?: Record<string, string | boolean> | undefined;
}): Partial<DriverSettings> {
  const { mode, model, options } = input;
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(options === undefined ? {} : { options }),
  };
}
