import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { didYouMean, isWorkspaceSlug, type Workspace } from "../../domains/index.ts";
import { LIMITS } from "../../kernel/index.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";

const Slug = z.string().refine(isWorkspaceSlug, "lower case letters, digits and dashes");
const WorkspaceWire = z.object({
  slug: z.string(),
  path: z.string(),
  label: z.string().optional(),
  ground: z.string(),
  addedAt: z.string(),
  updatedAt: z.string(),
  active: z.boolean(),
});
const aboutIt = (input: Record<string, unknown>) => `workspace/${String(input["slug"])}`;
const bySlug = z.object({ slug: Slug });

export const workspace: readonly Syscall[] = [
  read({
    name: "workspace.list",
    summary: "List the workspaces and show which one is active",
    permission: "workspace.read",
    roles: ["viewer"],
    needs: ["workspaces"],
    about: "system",
    input: z.object({}),
    output: z.object({ workspaces: z.array(WorkspaceWire), active: z.string().nullable() }),
    errors: [],
    http: { method: "GET", path: "/api/workspaces" },
    cli: { positional: [] },
    mcp: { toolsets: ["core"] },
    answer: async ({ services }) => {
      const { list, active } = await services.workspaces.all();
      return { workspaces: list.map((one) => shown(one, active)), active };
    },
  }),
  write({
    name: "workspace.add",
    summary: "Register a directory as a workspace; the first one becomes active",
    permission: "workspace.write",
    roles: [],
    needs: ["workspaces"],
    rights: "person",
    about: aboutIt,
    input: bySlug.extend({
      path: z.string().min(1).max(4096).describe("the directory"),
      label: z.string().max(LIMITS.labelChars).optional(),
    }),
    output: WorkspaceWire,
    errors: [
      "sandbox_floor",
      "cwd_missing",
      "cwd_hidden",
      "workspace_limit",
      "workspace_reserved",
      "quota_exceeded",
      "disk_low",
    ],
    http: { method: "POST", path: "/api/workspaces", status: 201 },
    cli: {
      positional: ["slug", "path"],
      paths: ["path"],
      says: [
        "{slug} is the workspace {path}.",
        ["active", true, "It is the active one."],
        ["active", false, "Next: nomos workspace use {slug}"],
      ],
    },
    idempotent: true,
    commit: (context, { slug, path, label }) =>
      context.services.workspaces.add({ slug, path, label: label ?? null }, byOf(context)),
    answer: (context, { slug }) => showWorkspace(context, slug),
  }),
  write({
    name: "workspace.use",
    summary: "Make a workspace active: sessions that name no place work there",
    permission: "workspace.write",
    roles: [],
    needs: ["workspaces"],
    about: aboutIt,
    input: bySlug,
    output: WorkspaceWire,
    errors: ["workspace_not_found", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/api/workspaces/:slug/use" },
    cli: { positional: ["slug"], says: ["{slug} is the active workspace: {path}"] },
    idempotent: true,
    commit: (context, { slug }) => context.services.workspaces.use(slug, byOf(context)),
    answer: (context, { slug }) => showWorkspace(context, slug),
  }),
  write({
    name: "workspace.remove",
    summary: "Remove a workspace from the registry; its directory and sessions stay",
    permission: "workspace.write",
    roles: [],
    needs: ["workspaces"],
    about: aboutIt,
    input: bySlug,
    output: z.object({ ok: z.boolean(), slug: z.string() }),
    errors: ["workspace_not_found"],
    http: { method: "DELETE", path: "/api/workspaces/:slug" },
    cli: { positional: ["slug"], says: ["Removed the workspace {slug}. Its files stay."] },
    destructive: true,
    idempotent: true,
    commit: (context, { slug }) => context.services.workspaces.remove(slug, byOf(context)),
    answer: async (_context, { slug }) => ({ ok: true, slug }),
  }),
];

async function showWorkspace(context: Context<"workspaces">, slug: string): Promise<z.input<typeof WorkspaceWire>> {
  const { list, active } = await context.services.workspaces.all();
  const found = list.find((one) => one.slug === slug);
  if (found === undefined) {
    const slugs = list.map((one) => one.slug);
    const message = `There is no workspace \`${slug}\`.${didYouMean(slug, slugs)}`;
    throw new NomosError("workspace_not_found", { slug }, { message });
  }
  return shown(found, active);
}

function shown({ label, ...rest }: Workspace, active: string | null): z.input<typeof WorkspaceWire> {
  return {
    ...rest,
    ...(label === null ? {} : { label }),
    ground: `ws://workspaces/${rest.slug}`,
    active: rest.slug === active,
  };
}
