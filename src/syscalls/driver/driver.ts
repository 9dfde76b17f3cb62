import * as z from "zod";
import { type Context, read, type Syscall, write } from "../define.ts";
import { aboutIt, driverCheck, Slug } from "./check.ts";

const bySlug = z.object({ slug: Slug });

const Shown = z.object({
  slug: z.string(),
  summary: z.string(),
  continuity: z.string().describe("how the agent gets its memory back after its process ended: native or digest"),
  protocol: z.enum(["acp", "print", "own"]),
  origin: z.enum(["built-in", "added", "configured"]),
  installed: z.boolean(),
});
const Detailed = Shown.extend({ manifest: z.record(z.string(), z.unknown()).nullable() });
export const driver: readonly Syscall[] = [
  read({
    name: "driver.list",
    summary: "List all drivers and show which are installed",
    permission: "agent.read",
    roles: ["viewer"],
    needs: ["drivers"],
    about: "system",
    input: z.object({}),
    output: z.object({ drivers: z.array(Shown) }),
    errors: [],
    http: { method: "GET", path: "/api/drivers" },
    cli: { positional: [] },
    answer: async ({ services }) => {
      const all = await services.drivers.list();
      return { drivers: all.map(({ manifest: _manifest, ...shown }) => shown) };
    },
  }),
  read({
    name: "driver.show",
    summary: "Show one driver with its manifest",
    permission: "agent.read",
    roles: ["viewer"],
    needs: ["drivers"],
    about: aboutIt,
    input: bySlug,
    output: Detailed,
    errors: ["not_installed"],
    http: { method: "GET", path: "/api/drivers/:slug" },
    cli: { positional: ["slug"] },
    answer: (context, { slug }) => shown(context, slug),
  }),
  write({
    name: "driver.install",
    summary: "Install an agent into the daemon's home, in the version its manifest names",
    permission: "system.admin",
    roles: [],
    needs: ["drivers"],
    rights: "person",
    about: aboutIt,
    input: bySlug,
    output: Detailed,
    errors: ["sandbox_floor", "not_installed", "setup_required", "driver_failed", "invalid_request"],
    http: { method: "POST", path: "/api/drivers/:slug/install" },
    cli: {
      positional: ["slug"],
      says: ["Installed {slug} ({manifest.install.0.packages}) in {took}.", 'Next: nomos run -a {slug} "prompt"'],
    },
    idempotent: true,
    commit: async ({ services, progress }, { slug }) => {
      await services.drivers.install(slug, (message) => progress({ message }));
      return [];
    },
    answer: (context, { slug }) => shown(context, slug),
  }),
  driverCheck,
  write({
    name: "driver.add",
    summary: "Add or replace a foreign agent by its manifest, a short JSON file",
    permission: "system.admin",
    roles: [],
    needs: ["agents", "drivers"],
    rights: "person",
    about: "system",
    input: z.object({ manifest: z.string().min(2).max(65_536).describe("the manifest, as JSON text") }),
    output: z.object({ ok: z.literal(true), slug: z.string() }),
    errors: ["sandbox_floor", "invalid_request", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/api/drivers", status: 201 },
    cli: {
      positional: ["manifest"],
      files: ["manifest"],
      says: ["Added the driver {slug}.", "Next: nomos driver check {slug}"],
    },
    idempotent: true,
    commit: async ({ services }, { manifest }) => {
      const slug = await services.drivers.add(manifest);
      await services.agents.ensureBuiltIn([slug]);
      return [];
    },
    answer: async (_context, { manifest }) => ({ ok: true as const, slug: slugIn(manifest) }),
  }),
  write({
    name: "driver.remove",
    summary: "Remove a manifest you added; a built-in manifest of the same name applies again",
    permission: "system.admin",
    roles: [],
    needs: ["drivers"],
    rights: "person",
    about: aboutIt,
    input: bySlug,
    output: z.object({ ok: z.boolean(), slug: z.string() }),
    errors: ["sandbox_floor"],
    http: { method: "DELETE", path: "/api/drivers/:slug" },
    cli: { positional: ["slug"], says: ["Removed the manifest of {slug}."] },
    destructive: true,
    idempotent: true,
    commit: async ({ services }, { slug }) => {
      await services.drivers.remove(slug);
      return [];
    },
    answer: async (_context, { slug }) => ({ ok: true, slug }),
  }),
];

async function shown({ services }: Context<"drivers">, slug: string): Promise<z.input<typeof Detailed>> {
  const { manifest, ...rest } = await services.drivers.show(slug);
  return { ...rest, manifest: manifest === null ? null : { ...manifest } };
}

/** Already validated when it was added. */
function slugIn(manifest: string): string {
  const parsed = z.object({ id: z.string() }).safeParse(JSON.parse(manifest));
  return parsed.success ? parsed.data.id : "";
}
