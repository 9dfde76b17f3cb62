import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { type DriverSettings, LIMITS } from "../../kernel/index.ts";

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
  .describe("images, files and links; the turn is refused if the agent does not accept one of them");

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
/** Settings of an agent. `session offer` lists the values it accepts. */
export const Settings = {
  mode: Chosen.optional().describe("the agent's mode"),
  model: Chosen.optional().describe("the agent's model"),
  options: z.record(z.string().max(200), z.union([z.string().max(500), z.boolean()])).optional(),
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
