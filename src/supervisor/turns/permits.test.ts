import { mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { systemFiles } from "../../host/index.ts";
import type { SandboxMode } from "../../kernel/index.ts";
import { createPermits, isOutside } from "./permits.ts";

async function wish(sandbox: SandboxMode, tool: string, path: string) {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "permits-")));
  symlinkSync("/etc", join(cwd, "link"));
  const told: string[] = [];
  const permits = createPermits({
    toolPolicy: async () => "auto",
    unattended: () => "ask",
    sandbox,
    isOutside: (named) => isOutside(systemFiles(), cwd, named),
  });
  const asked = { tool, question: "?", options: [], resource: "path/x", paths: [path.replace("CWD", cwd)] };
  const reply = await permits(
    asked,
    async () => ({ approved: true, option: null }),
    async ({ rules }) => void told.push(`denied ${rules.join()}`),
    async (title) => void told.push(`warned ${title}`),
  );
  return { approved: reply.approved, told };
}

const OUTSIDE = ["/etc/passwd", "../x", "link/x", "CWD/../x", "CWD/link/x"];

proves("WL-11", "a change outside the workspace: enforce refuses it, warn records it, off says nothing", async () => {
  for (const path of OUTSIDE) {
    for (const mode of ["enforce", "strict"] as const)
      expect([path, await wish(mode, "edit", path)]).toEqual([
        path,
        { approved: false, told: ["denied sandbox:outside_workspace"] },
      ]);
    expect(await wish("warn", "delete", path)).toEqual({ approved: true, told: ["warned outside of the workspace"] });
    expect(await wish("off", "edit", path)).toEqual({ approved: true, told: [] });
  }
});

proves("WL-11", "a change inside the workspace, and any read, goes on to the policy in every mode", async () => {
  for (const mode of ["off", "warn", "enforce", "strict"] as const) {
    expect(await wish(mode, "edit", "CWD/a/b")).toEqual({ approved: true, told: [] });
    expect(await wish(mode, "read", "/etc/passwd")).toEqual({ approved: true, told: [] });
  }
});
