import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";

proves.where(process.platform === "linux")(
  "WL-3",
  "file descriptors that were open for the daemon are not inherited by its processes",
  () => {
    const program = `
    import { closeInherited } from ${JSON.stringify(new URL("./close-inherited.ts", import.meta.url))};
    import { execFileSync } from "node:child_process";
    const look = () => execFileSync("/bin/sh", ["-c", "ls /proc/self/fd"], { encoding: "utf8" }).split("\\n").filter(Boolean).map(Number);
    const before = look().filter((fd) => fd > 3);
    const closed = closeInherited();
    console.log(JSON.stringify({ before, closed, after: look().filter((fd) => fd > 3) }));`;
    const shell = `exec 207</etc 208</etc/passwd; exec "$0" --input-type=module -e "$1"`;
    const told = JSON.parse(execFileSync("/bin/bash", ["-c", shell, process.execPath, program], { encoding: "utf8" }));
    expect(told.before).toEqual(expect.arrayContaining([207, 208]));
    expect(told.closed).toEqual(expect.arrayContaining([207, 208]));
    expect(told.after).toEqual([]);
  },
);
