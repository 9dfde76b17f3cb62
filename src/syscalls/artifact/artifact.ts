import * as z from "zod";
import { ArtifactWire, NomosError, SessionId } from "../../contract/index.ts";
import { type Artifact, LIMITS, ownEntry } from "../../kernel/index.ts";
import { StoreError } from "../../store/index.ts";
import { writtenArtifact } from "../../turns/index.ts";
import { Content, encode } from "../blob/content.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { byOf, viewOf } from "../session/answer.ts";

const Path = z
  .string()
  .min(1)
  .max(LIMITS.artifactPathChars)
  .refine((path) => !path.includes("\0"), "no NUL bytes");
const Version = z.coerce.number().int().min(1).optional();

export const artifact: readonly Syscall[] = [
  read({
    name: "artifact.list",
    summary: "List a session's artifacts, each at its current version",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["store"],
    about: "session",
    input: z.object({ id: SessionId }),
    output: z.object({ artifacts: z.array(ArtifactWire.extend({ versions: z.array(z.number().int()) })) }),
    errors: ["session_not_found"],
    http: { method: "GET", path: "/sessions/:id/artifacts" },
    cli: { positional: ["id"] },
    mcp: {
      lists: ({ artifacts }, { id }) => ({
        documents: artifacts.map(({ path, mediaType, bytes }) => ({
          uri: artifactUri(id, path),
          name: path,
          mediaType,
          bytes,
        })),
        next: null,
      }),
    },
    answer: async (context, { id }) => {
      const { artifacts } = await viewOf(context, id);
      return {
        artifacts: Object.entries(artifacts).flatMap(([path, { artifactId, versions }]) => {
          const current = versions.at(-1);
          if (current === undefined) return [];
          return [{ artifactId, path, ...shown(current), versions: versions.map(({ version }) => version) }];
        }),
      };
    },
  }),
  read({
    name: "artifact.read",
    summary: "Read an artifact, at its current or an earlier version",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["store"],
    about: "session",
    input: z.object({ id: SessionId, path: Path, version: Version }),
    output: ArtifactWire.extend(Content.shape),
    errors: ["session_not_found", "artifact_not_found"],
    http: { method: "GET", path: "/sessions/:id/artifacts/content" },
    cli: { positional: ["id", "path"] },
    mcp: {
      resource: {
        uri: "nomos://sessions/{id}/artifacts/{+path}",
        title: "An artifact of a session",
        mediaType: "application/octet-stream",
      },
      shows: ({ path, mediaType, encoding, content }, { id }) =>
        encoding === "utf8"
          ? [{ mediaType, content: { text: content } }]
          : [{ mediaType, uri: artifactUri(id, path), content: { base64: content } }],
    },
    answer: async (context, { id, path, version }) => {
      const history = ownEntry((await viewOf(context, id)).artifacts, path);
      const wanted =
        version === undefined ? history?.versions.at(-1) : history?.versions.find((one) => one.version === version);
      if (history === undefined || wanted === undefined)
        throw new NomosError("artifact_not_found", { path, version: version ?? null });
      return { artifactId: history.artifactId, path, ...shown(wanted), ...(await contentOf(context, wanted.blob)) };
    },
  }),
  write({
    name: "artifact.write",
    summary: "Write an artifact: a new path starts at version 1, a known path gets the next version",
    permission: "session.report",
    roles: ["session"],
    needs: ["supervisor"],
    about: "session",
    input: z.object({
      id: SessionId,
      path: Path,
      content: z.string().max(LIMITS.artifactBytes * 1.4),
      encoding: z.enum(["utf8", "base64"]).optional(),
      mediaType: z.string().max(100).optional(),
      turnId: z.string().max(64).optional(),
    }),
    output: z.object({ artifactId: z.string(), path: z.string(), version: z.number().int(), eventId: z.string() }),
    errors: [
      "session_not_found",
      "session_ended",
      "turn_ended",
      "artifact_limit",
      "payload_too_large",
      "quota_exceeded",
      "disk_low",
    ],
    http: { method: "POST", path: "/sessions/:id/artifacts", status: 201 },
    cli: {
      positional: ["id", "path", "content"],
      says: ["Wrote {path}, version {version}.", "Next: nomos artifact read {input.id} {path}"],
    },
    mcp: { toolsets: ["inside"] },
    commit: (context, { id, path, content, encoding, mediaType, turnId }) => {
      const bytes = Buffer.from(content, encoding ?? "utf8");
      const type = mediaType ?? "text/plain";
      return context.services.supervisor.writeArtifact(
        id,
        { path, bytes, mediaType: type, turnId: turnId ?? null },
        byOf(context),
      );
    },
    answer: async (_context, { path }, events) => ({
      path,
      eventId: events[0]?.id ?? "",
      ...writtenArtifact(events),
    }),
  }),
];

function artifactUri(id: unknown, path: string): string {
  return `nomos://sessions/${String(id)}/artifacts/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function shown({ version, bytes, mediaType }: Artifact) {
  return { version, bytes, mediaType };
}

async function contentOf(context: Context<"store">, blob: string) {
  const bytes = await context.services.store.blob(blob);
  if (bytes === null) throw new StoreError("blob_missing", { blob });
  return encode(bytes);
}
