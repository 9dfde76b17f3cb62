import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";

const FILE = join(import.meta.dirname, "report-bug.ts");

proves("LEAK-3", "a bug ends the process with 1, and its report has passed the redactor", () => {
  for (const bug of [`throw new Error("at hunter2")`, `Promise.reject(new Error("hunter2", { cause: ["hunter2"] }))`]) {
    const code = `import { reportBugs } from ${JSON.stringify(FILE)};
      reportBugs((text) => text.replaceAll("hunter2", "[gone]"));
      setTimeout(() => { ${bug}; }, 1);
      setTimeout(() => undefined, 60_000);`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toContain("[gone]");
    expect(stderr).not.toContain("hunter2");
  }
});
