import type { Memory, Step } from "./story.ts";

const here = ({ cwd }: Memory) => ({ cwd: `${cwd}/ruled` });
const exo = ({ cwd }: Memory) => ({ cwd: `${cwd}/exo`, from: "exo" });
const check = (verb: string, path: string, more: object = {}): Step => ({
  syscall: "governance.check",
  input: (memory) => ({ ...here(memory), verb, path, ...more }),
});

/** A repository gets a law, asks it, and is rid of it; another takes over the law of ExoProtocol. */
export const LAW_STORY: readonly Step[] = [
  { syscall: "governance.scan", input: here },
  { syscall: "governance.show", input: here, refused: "not_governed" },
  { syscall: "governance.import", input: (memory) => ({ ...here(memory), from: "exo" }), refused: "file_missing" },
  { syscall: "governance.import", input: exo },
  { syscall: "governance.init", input: (memory) => ({ ...here(memory), dryRun: true }) },
  { syscall: "governance.init", input: (memory) => ({ ...here(memory), message: "Give it a law" }) },
  { syscall: "governance.init", input: here },
  { syscall: "governance.show", input: here },
  { syscall: "governance.verify", input: here },
  { syscall: "governance.config", input: here },
  check("write", ".env"),
  check("read", "README.md"),
  check("delete", "README.md", { evidence: ["attestation:delete"] }),
  check("transmogrify", "README.md"),
  { syscall: "governance.build", input: here },
  { syscall: "governance.compose", input: here },
  { syscall: "governance.upgrade", input: (memory) => ({ ...here(memory), dryRun: true }) },
  { syscall: "governance.upgrade", input: here },
  { syscall: "governance.gc", input: (memory) => ({ ...here(memory), days: 0 }) },
  { syscall: "governance.list", input: () => ({}) },
  { syscall: "governance.deinit", input: (memory) => ({ ...here(memory), dryRun: true }) },
  { syscall: "governance.deinit", input: here },
  { syscall: "governance.deinit", input: here, refused: "not_governed" },
];
