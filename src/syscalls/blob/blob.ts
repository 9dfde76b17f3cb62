import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { read, type Syscall } from "../define.ts";
import { Content, encode } from "./content.ts";

export const blob: readonly Syscall[] = [
  read({
    name: "blob.read",
    summary: "Read a blob by its sha256",
    permission: "blob.read",
    roles: ["viewer"],
    needs: ["store"],
    about: (input) => `blob/${String(input["sha256"])}`,
    input: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    output: Content.extend({ sha256: z.string(), bytes: z.number().int() }),
    errors: ["artifact_not_found"],
    http: { method: "GET", path: "/api/blobs/:sha256" },
    cli: { positional: ["sha256"] },
    answer: async (context, { sha256 }) => {
      const bytes = await context.services.store.blob(sha256);
      if (bytes === null) throw new NomosError("artifact_not_found", { sha256 });
      return { sha256, bytes: bytes.length, ...encode(bytes) };
    },
  }),
];
