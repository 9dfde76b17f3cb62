import * as z from "zod";
import { read, type Syscall } from "../define.ts";

const Doc = z.object({ path: z.string(), title: z.string(), bytes: z.number().int() });

/** The documentation pages in the package. */
export const doc: readonly Syscall[] = [
  read({
    name: "doc.list",
    summary: "List the documentation pages of this version",
    permission: "system.read",
    roles: ["viewer"],
    needs: ["docs"],
    about: "system",
    input: z.object({}),
    output: z.object({ docs: z.array(Doc) }),
    errors: [],
    http: { method: "GET", path: "/api/docs" },
    cli: { positional: [] },
    mcp: {
      lists: ({ docs }) => ({
        documents: docs.map(({ path, title, bytes }) => ({
          uri: `nomos://docs/${path.split("/").map(encodeURIComponent).join("/")}`,
          name: path,
          title,
          mediaType: "text/markdown",
          bytes,
        })),
        next: null,
      }),
    },
    answer: async ({ services }) => ({ docs: [...(await services.docs.list())] }),
  }),
  read({
    name: "doc.read",
    summary: "Show one documentation page",
    permission: "system.read",
    roles: ["viewer"],
    needs: ["docs"],
    about: "system",
    input: z.object({ path: z.string().min(1).max(256).describe("a path from `doc list`") }),
    output: z.object({ path: z.string(), text: z.string() }),
    errors: ["doc_not_found"],
    http: { method: "GET", path: "/api/docs/content" },
    cli: { positional: ["path"] },
    mcp: {
      resource: { uri: "nomos://docs/{+path}", title: "A page of documentation", mediaType: "text/markdown" },
      shows: ({ text }) => [{ mediaType: "text/markdown", content: { text } }],
    },
    answer: async ({ services }, { path }) => ({ path, text: await services.docs.read(path) }),
  }),
];
