import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { NomosError } from "../../src/contract/index.ts";
import { read } from "../../src/syscalls/define.ts";
import type { Shown, Syscall } from "../../src/syscalls/index.ts";

/** One red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** An empty sound file. */
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const text = (given: string): Shown => ({ mediaType: "text/plain", content: { text: given } });
const image: Shown = { mediaType: "image/png", content: { base64: PIXEL } };
const STEP_MS = 50;
/** As text, because an object with a member `then` looks like a promise. */
const conditional: object = JSON.parse(`{
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] }
}`);

/** What the official suite expects of a server, as additional syscalls. */
export const MCP_FIXTURES: readonly Syscall[] = [
  shows("test.simple.text", [text("This is a simple text response for testing.")]),
  shows("test.image.content", [image]),
  shows("test.audio.content", [{ mediaType: "audio/wav", content: { base64: SILENCE } }]),
  shows("test.embedded.resource", [
    {
      mediaType: "text/plain",
      uri: "test://embedded-resource",
      content: { text: "This is an embedded resource content." },
    },
  ]),
  shows("test.multiple.content.types", [
    text("Multiple content types test:"),
    image,
    {
      mediaType: "application/json",
      uri: "test://mixed-content-resource",
      content: { text: JSON.stringify({ test: "data", value: 123 }) },
    },
  ]),
  read({
    ...common("test.error.handling"),
    input: z.object({}),
    output: z.object({}),
    answer: async () => {
      throw new NomosError("driver_failed", {}, { message: "This tool intentionally returns an error for testing" });
    },
  }),
  read({
    ...common("test.tool.with.progress"),
    input: z.object({}),
    output: z.object({ done: z.boolean() }),
    answer: async ({ progress }) => {
      for (const done of [0, 50, 100]) {
        progress({ message: "working", done, total: 100 });
        await sleep(STEP_MS);
      }
      return { done: true };
    },
  }),
  read({
    ...common("json.schema.2020.12.tool"),
    input: z
      .strictObject({
        name: z.string().optional(),
        address: z.object({ street: z.string().optional(), city: z.string().optional() }).optional(),
        contactMethod: z.enum(["phone", "email"]).optional(),
        phone: z.string().optional(),
        email: z.string().optional(),
      })
      .meta({
        $defs: {
          address: {
            $anchor: "addressDef",
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        ...conditional,
      }),
    output: z.object({}),
    answer: async () => ({}),
  }),
  document("test.static.text", "test://static-text", text("This is the content of the static text resource.")),
  document("test.static.binary", "test://static-binary", image),
  document("test.watched.resource", "test://watched-resource", text("Watched.")),
  read({
    ...common("test.template"),
    input: z.object({ id: z.string() }),
    output: z.object({ id: z.string(), templateTest: z.boolean(), data: z.string() }),
    mcp: { resource: { uri: "test://template/{id}/data", title: "By id", mediaType: "application/json" } },
    answer: async (_context, { id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }),
  prompt("test.simple.prompt", z.object({}), () => [text("This is a simple prompt for testing.")]),
  prompt(
    "test.prompt.with.arguments",
    z.object({
      arg1: z.string().describe("First test argument"),
      arg2: z.string().describe("Second test argument"),
    }),
    ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  ),
  prompt(
    "test.prompt.with.embedded.resource",
    z.object({ resourceUri: z.string().describe("URI of the resource to embed") }),
    ({ resourceUri }) => [
      {
        mediaType: "text/plain",
        uri: String(resourceUri),
        content: { text: "Embedded resource content for testing." },
      },
      text("Please process the embedded resource above."),
    ],
  ),
  prompt("test.prompt.with.image", z.object({}), () => [image, text("Please analyze the image above.")]),
];

function common(name: string) {
  return {
    name,
    summary: `The suite's ${name}`,
    permission: "test.use",
    roles: [],
    needs: [],
    about: "system" as const,
    errors: [],
    http: { method: "POST" as const, path: `/api/test/${name}` },
    cli: { positional: [] },
  };
}

function shows(name: string, pieces: readonly Shown[]): Syscall {
  return read({
    ...common(name),
    input: z.object({}),
    output: z.object({}),
    mcp: { shows: () => pieces },
    answer: async () => ({}),
  });
}

function document(name: string, uri: string, piece: Shown): Syscall {
  return read({
    ...common(name),
    input: z.object({}),
    output: z.object({}),
    mcp: { resource: { uri, title: name, mediaType: piece.mediaType }, shows: () => [piece] },
    answer: async () => ({}),
  });
}

function prompt(
  name: string,
  input: z.ZodObject,
  pieces: (given: { readonly [member: string]: unknown }) => readonly Shown[],
): Syscall {
  return read({
    ...common(name),
    input,
    output: z.object({}),
    mcp: { prompt: true, shows: (_value, given) => pieces(given) },
    answer: async () => ({}),
  });
}
