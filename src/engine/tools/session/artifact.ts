import { Buffer } from "node:buffer";
import { posix } from "node:path";
import * as z from "zod";
import { LIMITS } from "../../../kernel/index.ts";
import type { Tool, ToolContext, ToolResult } from "../../tool.ts";
import { pathInput } from "../shared/path-input.ts";
import { done, failed } from "../shared/results.ts";
import { oneLine, shownBytes, shownName } from "../shared/shown.ts";
import { explainPath } from "../shared/world-errors.ts";

const Input = z
  .strictObject({
    name: z.string().min(1).max(LIMITS.artifactPathChars).describe("Name of the artifact, such as report.md."),
    content: z.string().max(LIMITS.artifactBytes).optional().describe("Its text."),
    path: pathInput("Instead of content: a file whose bytes are stored.").optional(),
    mediaType: z
      .string()
      .max(200)
      .regex(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w=.+-]+)*$/, "a media type, such as text/markdown")
      .optional()
      .describe("Default: by the name."),
  })
  .superRefine(({ content, path }, context) => {
    if ((content === undefined) === (path === undefined))
      context.addIssue({ code: "custom", message: "send either content or path" });
  });

type Input = z.infer<typeof Input>;

export const artifact: Tool<Input> = {
  name: "artifact",
  description:
    "Stores a result for the user as a named artifact of the session: a report, a picture, an archive, up to 16 MB. A name " +
    "that exists gets a new version. It is not a file in the session's directory; use write for that.",
  input: Input,
  permission: "none",
  redo: "safe",
  mode: "parallel",
  title: ({ name }) => oneLine(`Store ${shownName(name)}`),
  run: async (input, context) => {
    if (input.path === undefined) return store(input, Buffer.from(input.content ?? ""), context);
    try {
      const { bytes, size } = await context.world.read(input.path, { from: 0, bytes: LIMITS.artifactBytes });
      return size > LIMITS.artifactBytes ? tooLarge(size) : await store(input, bytes, context);
    } catch (error) {
      return explainPath(error, input.path, context);
    }
  },
};

async function store({ name, path, mediaType }: Input, bytes: Uint8Array, { world }: ToolContext): Promise<ToolResult> {
  if (bytes.byteLength > LIMITS.artifactBytes) return tooLarge(bytes.byteLength);
  const type = mediaType ?? mediaTypeOf(name) ?? (path === undefined ? "text/plain" : "application/octet-stream");
  const { artifactId, version } = await world.artifact(name, bytes, type);
  return done(
    `Stored ${shownName(name)} as version ${version} (${type}, ${shownBytes(bytes.byteLength)}, id ${artifactId}).`,
  );
}

function tooLarge(size: number): ToolResult {
  return failed(
    `It has ${shownBytes(size)}; an artifact may have ${shownBytes(LIMITS.artifactBytes)}. Compress or split it.`,
  );
}

function mediaTypeOf(name: string): string | undefined {
  return MEDIA_TYPES[posix.extname(name).toLowerCase()];
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".patch": "text/x-diff",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webp": "image/webp",
  ".zip": "application/zip",
};
