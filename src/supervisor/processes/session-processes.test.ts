import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { newRedactor } from "../../../test/support/redactor.ts";
import { SPEC } from "../../../test/support/store-home.ts";
import type { HostProcess } from "../../host/index.ts";
import { createSessionProcesses } from "./session-processes.ts";

proves(
  "SN-2",
  "a process counts as living in its directory until it has ended, also an agent that outlives turns",
  async () => {
    const ends: (() => void)[] = [];
    const spawn = (): HostProcess => {
      const { promise, reject } = Promise.withResolvers<never>();
      ends.push(() => reject(new Error("gone")));
      return { exited: promise as HostProcess["exited"] } as HostProcess;
    };
    const nothing = () => {
      throw new Error("not asked for");
    };
    const processes = createSessionProcesses({
      host: { spawn } as never,
      walls: { raise: nothing } as never,
      environment: {},
      instance: "test",
      grounds: [],
      worktrees: "/home/worktrees",
      temps: { lend: () => ({ path: "/tmp/one", giveBack: () => undefined }), settled: async () => undefined },
      url: () => "",
      driverEnvironment: () => ({}),
      isHomeInPlace: () => true,
      limits: () => ({ memoryMb: null, openFilesMax: null }),
      redactor: newRedactor(),
    });
    const lives = () => ["/a/b", "/a", "/a/b/c", "/a/bc", "/d"].filter(processes.livesAt);
    expect(lives()).toEqual([]);
    processes.spawn({ ...SPEC, cwd: "/a/b" }, "one", ["true"], "none", {});
    expect(lives()).toEqual(["/a/b", "/a", "/a/b/c"]);
    const agent = { label: "two", cwd: "/d", argv: ["agent"], env: {}, shown: [], walledFor: null };
    processes.agents.spawn({ slug: "acp", ...agent });
    ends[0]?.();
    await Promise.resolve();
    expect(lives()).toEqual(["/d"]);
    ends[1]?.();
    await Promise.resolve();
    expect(lives()).toEqual([]);
  },
);
