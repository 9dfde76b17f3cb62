import { existsSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { DoubleSession } from "./double-session.ts";

export class DoubleRefusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export interface DoublePlace {
  readonly workspaceSlug: string;
  readonly ground: string;
  readonly cwd: string;
}

type Body = Readonly<Record<string, unknown>>;

/** Where a session of the test server works, and which sessions may start others. */
export class DoubleGate {
  readonly workspaces = new Map<string, string>();
  readonly agents = new Map<string, readonly string[]>();
  readonly broken: (number: number) => boolean;
  active: string | null = null;
  limits = { depthMax: 3, childrenMax: 8 };

  constructor(broken: (number: number) => boolean) {
    this.broken = broken;
  }

  place(body: Body): DoublePlace & { readonly warnings: readonly string[] } {
    if (typeof body["ground"] === "string") return { ...this.#ground(body["ground"]), warnings: [] };
    const asked = String(body["workspaceSlug"] ?? "");
    const slug = [asked, this.active ?? ""].find((one) => this.workspaces.has(one));
    if (slug !== undefined) return { ...this.#ground(`ws://workspaces/${slug}`), warnings: [] };
    const workspaceSlug = this.broken(32) && asked !== "" ? asked : "default";
    const warnings = this.broken(31) ? [] : ["no workspace is active: it works in the host's directory"];
    return { workspaceSlug, ground: `ws://workspaces/${workspaceSlug}`, cwd: process.cwd(), warnings };
  }

  below(
    parent: DoubleSession,
    siblings: readonly DoubleSession[],
    body: Body,
  ): DoublePlace & { readonly agentSlug: string } {
    if ("cwd" in body) throw new DoubleRefusal(400, "invalid_request");
    const agentSlug = this.judge(parent, siblings, body["agent"]);
    const outer = parent.record.ground;
    const ground = String(body["ground"] ?? outer);
    if (ground !== outer && !ground.startsWith(`${outer}/`)) throw new DoubleRefusal(403, "cwd_outside_parent");
    const { cwd } = this.#ground(ground, parent.record.cwd, outer);
    const way = this.broken(37) ? "" : relative(parent.record.cwd, realpathSync(cwd));
    if (way.startsWith("..")) throw new DoubleRefusal(403, "cwd_outside_parent");
    return { workspaceSlug: parent.record.workspaceSlug, ground, cwd, agentSlug };
  }

  /** Throws, or returns the agent to start. */
  judge(parent: DoubleSession, siblings: readonly DoubleSession[], reference: unknown): string {
    const slug = /([a-z0-9-]+)(@[\w.]+)?$/.exec(String(reference ?? ""))?.[1] ?? "";
    if (reference !== undefined && !this.agents.has(slug)) throw new DoubleRefusal(400, "invalid_agent");
    const { agentSlug } = parent.record;
    const list = (agentSlug === undefined ? undefined : this.agents.get(agentSlug)) ?? [];
    const named = this.broken(36) ? list : list.map((one) => one.replace(/^.*\//, ""));
    if (!named.includes(slug) && !(this.broken(35) && agentSlug === undefined))
      throw new DoubleRefusal(403, "delegation_denied");
    if (parent.record.depth + 1 > this.limits.depthMax) throw new DoubleRefusal(403, "max_depth_exceeded");
    const counted = siblings.filter((one) => this.broken(38) || !one.isOver);
    if (counted.length >= this.limits.childrenMax) throw new DoubleRefusal(429, "child_quota_exceeded");
    return slug;
  }

  #ground(ground: string, from?: string, outer = "ws://workspaces/"): DoublePlace {
    const [, slug = "", below = ""] = /^ws:\/\/workspaces\/([a-z0-9-]+)((?:\/[^/]+)*)$/.exec(ground) ?? [];
    if (slug === "" || below.split("/").includes("..")) throw new DoubleRefusal(400, "invalid_ground");
    const root = from ?? this.workspaces.get(slug);
    if (root === undefined) throw new DoubleRefusal(404, "workspace_not_found");
    const cwd = join(root, from === undefined ? below : ground.slice(outer.length));
    if (!existsSync(cwd)) throw new DoubleRefusal(400, "cwd_missing");
    return { workspaceSlug: slug, ground, cwd };
  }
}
