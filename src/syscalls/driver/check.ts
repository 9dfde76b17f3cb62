import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { type Context, read, type Syscall } from "../define.ts";
import { Flag } from "../query-text.ts";

export const Slug = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "lower case letters, digits and dashes");
export const aboutIt = (input: Record<string, unknown>) => `driver/${String(input["slug"] ?? "")}`;

const Checked = z.object({
  slug: z.string(),
  ok: z.boolean(),
  from: z.enum(["command", "home", "path"]).nullable(),
  command: z.array(z.string()),
  version: z.string().nullable(),
  problem: z.object({ code: z.string(), message: z.string(), steps: z.array(z.string()) }).nullable(),
  agent: z
    .object({
      name: z.string(),
      protocol: z.number(),
      loads: z.boolean(),
      resumes: z.boolean(),
      forks: z.boolean(),
      closes: z.boolean(),
      images: z.boolean(),
      embeds: z.boolean(),
      mcpHttp: z.boolean(),
      authMethods: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
    })
    .nullable(),
});

/** The slug that means every installed agent. */
const ALL = "all";
const Newest = z.object({
  slug: z.string(),
  package: z.string(),
  installed: z.string().nullable(),
  latest: z.string().nullable().describe("null: the registry did not tell"),
  state: z.enum(["works", "fails", "unknown"]),
  isSupported: z.boolean().describe("whether the manifest's range has it"),
  says: z.string(),
});

export const driverCheck: Syscall = read({
  name: "driver.check",
  summary: "Find an agent, check its version and start it briefly; with `latest`, its newest release in a copy",
  permission: "system.admin",
  roles: [],
  needs: ["drivers"],
  rights: "person",
  about: aboutIt,
  input: z.object({
    slug: Slug.describe("the driver; with `latest` also `all`, for every installed agent"),
    latest: Flag.describe("try the newest release, in a copy that is removed: install, handshake, open a session"),
    write: z.string().min(1).max(4096).optional().describe("with `latest`: write the result to this file, as Markdown"),
  }),
  output: Checked.extend({
    latest: z.array(Newest).optional(),
    page: z.string().optional().describe("the newest releases as Markdown"),
  }),
  errors: ["sandbox_floor", "not_installed", "invalid_request", "driver_failed"],
  http: { method: "GET", path: "/api/drivers/:slug/check" },
  cli: {
    positional: ["slug"],
    otherwise: { member: "slug", value: ALL },
    paths: ["write"],
    says: [
      ["ok", true, "{slug} works: {command|words}"],
      "Version {version}.",
      ["from", "home", 'Next: nomos run -a {slug} "prompt"'],
      ["from", "path", 'Next: nomos run -a {slug} "prompt"'],
      ["from", "command", 'Next: nomos run -a {slug} "prompt"'],
      "{problem.message}",
      "Next: {problem.steps}",
      ["latest.length", 0, "No agent is installed; `nomos driver install claude` installs one."],
      "Written to {input.write}.",
    ],
    rows: "latest",
  },
  answer: (context, input) => checked(context, input),
});

interface CheckInput {
  readonly slug: string;
  readonly latest?: boolean | undefined;
  readonly write?: string | undefined;
}

async function checked({ services: { drivers }, progress, signal }: Context<"drivers">, input: CheckInput) {
  const { slug, latest = false, write: file } = input;
  const isAll = slug === ALL && !drivers.slugs().includes(ALL);
  if (!latest && (isAll || file !== undefined))
    throw new NomosError("invalid_request", { slug }, { message: "Name one driver, or add `latest`." });
  if (!latest) return drivers.check(slug);
  if (file !== undefined) await drivers.refuseOtherFile(file);
  const now = isAll ? NOTHING_CHECKED : await drivers.check(slug);
  const slugs = isAll ? await installed(drivers) : [slug];
  const tried = await drivers.checkNewest(slugs, progress, signal);
  const page = await drivers.newestPage(tried, file ?? null);
  const ok = now.ok && tried.every(({ state }) => state === "works");
  return { ...now, ok, latest: tried.map((one) => ({ ...one })), page };
}

const NOTHING_CHECKED = { slug: ALL, ok: true, from: null, command: [], version: null, problem: null, agent: null };

async function installed(drivers: Context<"drivers">["services"]["drivers"]): Promise<readonly string[]> {
  const all = await drivers.list();
  return all.filter((one) => one.installed && one.manifest !== null).map(({ slug }) => slug);
}
