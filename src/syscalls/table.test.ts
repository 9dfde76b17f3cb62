import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import type { Context, read, Syscall } from "./define.ts";
import type { Role } from "./roles.ts";
import { permissions, rolesOf, SYSCALLS } from "./table.ts";

const HERE = import.meta.dirname;
const families = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(join(HERE, entry.name)).length > 0)
  .map(({ name }) => name);

function namesIn(folder: string): readonly string[] {
  const files = readdirSync(join(HERE, folder), { encoding: "utf8", recursive: true }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  return files.flatMap((file) =>
    [...readFileSync(join(HERE, folder, file), "utf8").matchAll(/^ +name: "([a-z-]+\.[a-zA-Z]+)",$/gm)].map(
      ([, name = ""]) => name,
    ),
  );
}

test.each(families)("every syscall in src/syscalls/%s belongs to that family", (family) => {
  const names = namesIn(family);
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !name.startsWith(`${family}.`))).toEqual([]);
});

test("the table holds every syscall of every family folder, each once", () => {
  expect(SYSCALLS.map(({ name }) => name).toSorted()).toEqual(families.flatMap(namesIn).toSorted());
});

/** Written by hand, so that every change of a role's permissions must be repeated here. */
const CAPABILITIES: { readonly [role in Role]: readonly string[] } = {
  viewer: [
    ...[
      "agent.read",
      "approval.read",
      "audit.read",
      "blame.read",
      "blob.read",
      "conflict.read",
      "fanout.read",
      "governance.read",
      "landing.read",
      "mcp.read",
    ],
    ...["model.read", "queue.list"],
    ...["session.list", "session.read", "system.read", "ticket.read", "ticket.survey", "work.read"],
    ...["workspace.read", "worktree.read"],
  ],
  session: [
    ...["session.ask", "session.call", "session.label", "session.list", "session.note", "session.read"],
    ...["session.report", "session.siblings", "session.spawn", "ticket.heartbeat", "ticket.read"],
  ],
  below: ["session.kill", "session.prompt", "session.read"],
};

test.each(["viewer", "session", "below"] as const)("the role %s has exactly the capabilities listed here", (role) => {
  expect(rolesOf()[role]).toEqual(CAPABILITIES[role]);
});

test("syscalls that share a permission name the same roles", () => {
  const rolesOf = (permission: string) =>
    new Set(SYSCALLS.filter((one) => one.permission === permission).map(({ roles }) => roles.join()));
  expect(permissions().filter((permission) => rolesOf(permission).size !== 1)).toEqual([]);
});

test("a syscall that names a role gives it no permission that another syscall withholds", () => {
  const [first] = SYSCALLS.filter(({ roles }) => roles.length === 0);
  const more: readonly Syscall[] = first === undefined ? [] : [{ ...first, name: "more.more", roles: ["session"] }];
  expect(more).toHaveLength(1);
  expect(rolesOf([...SYSCALLS, ...more]).session).toEqual(rolesOf().session);
});

test("a handler sees the services that its syscall needs, and no others", () => {
  type Answer<N extends readonly ("store" | "tokens")[]> = Parameters<
    Parameters<typeof read<Syscall["input"], Syscall["output"], N>>[0]["answer"]
  >[0];
  expectTypeOf<keyof Answer<["store"]>["services"]>().toEqualTypeOf<"store">();
  expectTypeOf<keyof Answer<[]>["services"]>().toEqualTypeOf<never>();
  expectTypeOf<keyof Context<"store" | "tokens">["services"]>().toEqualTypeOf<"store" | "tokens">();
});
