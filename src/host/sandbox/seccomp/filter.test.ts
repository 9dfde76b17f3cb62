import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { assemble } from "./assemble.ts";
import {
  ABSENT_CALLS,
  type CallNumbers,
  DENIED_CALLS,
  JUDGED_CALLS,
  MODE_CALLS,
  type ModeCall,
} from "./call-numbers.ts";
import { type FilteredArch, seccompFilter } from "./filter.ts";

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const EAFNOSUPPORT = 0x0005_0061;
const ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;

/** Runs the program as the kernel would. Shares no code with the assembler. */
function judge(program: Buffer, call: { nr: number; arch: number; args?: readonly number[] }): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.nr, 0);
  data.writeUInt32LE(call.arch, 4);
  for (const [at, arg] of (call.args ?? []).entries()) data.writeUInt32LE(arg >>> 0, 16 + at * 8);
  let accumulator = 0;
  for (let pc = 0; pc * 8 < program.length; pc += 1) {
    const code = program.readUInt16LE(pc * 8);
    const [ifTrue, ifFalse] = [program.readUInt8(pc * 8 + 2), program.readUInt8(pc * 8 + 3)];
    const k = program.readUInt32LE(pc * 8 + 4);
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x05) pc += k;
    else if (code === 0x15) pc += accumulator === k ? ifTrue : ifFalse;
    else if (code === 0x35) pc += accumulator >= k ? ifTrue : ifFalse;
    else if (code === 0x45) pc += (accumulator & k) !== 0 ? ifTrue : ifFalse;
    else if (code === 0x06) return k;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the program has no end");
}

type Arguments = (mode: number, flags: number) => number[];
/** Where each call has its mode, by its manual page: the table is not asked. */
const ARGUMENTS: Readonly<Record<string, Arguments>> = {
  chmod: (mode) => [0, mode],
  fchmod: (mode) => [0, mode],
  fchmodat: (mode) => [0, 0, mode, 0],
  fchmodat2: (mode) => [0, 0, mode, 0],
  creat: (mode) => [0, mode],
  mknod: (mode) => [0, mode, 0],
  mknodat: (mode) => [0, 0, mode, 0],
  open: (mode, flags) => [0, flags, mode],
  openat: (mode, flags) => [0, 0, flags, mode],
};

describe.each(["x64", "arm64"] as const)("seccomp filter on %s", (arch: FilteredArch) => {
  const program = seccompFilter(arch) ?? Buffer.alloc(0);
  const on = (nr: number | null, ...args: number[]) => judge(program, { nr: nr ?? -1, arch: ARCH[arch], args });

  test("calls that attacks start with are denied; calls that libraries can do without return ENOSYS", () => {
    for (const [name, call] of Object.entries(DENIED_CALLS))
      if (call[arch] !== null) expect([name, on(call[arch])]).toEqual([name, EPERM]);
    for (const call of Object.values(ABSENT_CALLS)) expect(on(call[arch])).toBe(ENOSYS);
  });

  test("every other call is allowed", () => {
    const spoken = [DENIED_CALLS, ABSENT_CALLS, JUDGED_CALLS, MODE_CALLS].flatMap((calls) =>
      Object.values(calls).map((call) => call[arch]),
    );
    for (let nr = 0; nr < 480; nr += 1) if (!spoken.includes(nr)) expect([nr, on(nr)]).toEqual([nr, ALLOW]);
  });

  test("calls of another architecture end the process", () => {
    expect(judge(program, { nr: 0, arch: 0x4000_0003 })).toBe(KILL);
    expect(judge(program, { nr: 0, arch: ARCH[arch === "x64" ? "arm64" : "x64"] })).toBe(KILL);
  });

  test("a thread can be made, a namespace cannot", () => {
    const { clone, unshare } = JUDGED_CALLS;
    expect(on(clone[arch], 0x3d_0f00)).toBe(ALLOW);
    expect(on(clone[arch], 0x0120_0011)).toBe(ALLOW);
    for (const flag of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000]) {
      expect(on(clone[arch], flag | 0x11)).toBe(EPERM);
      expect(on(unshare[arch], flag)).toBe(EPERM);
    }
    expect(on(unshare[arch], 0x80)).toBe(EPERM);
    expect(on(unshare[arch], 0x400)).toBe(ALLOW);
  });

  test("a terminal can be read and sized, but not typed into", () => {
    const { ioctl } = JUDGED_CALLS;
    expect(on(ioctl[arch], 0, 0x5401)).toBe(ALLOW);
    expect(on(ioctl[arch], 0, 0x5412)).toBe(EPERM);
    expect(on(ioctl[arch], 0, 0x541c)).toBe(EPERM);
  });

  proves("WL-20", "no call creates a set-id file, whatever its other flags", () => {
    const makes = [0x40, 0x41, 0x40_0000 | 0x1_0000, 0xc1];
    for (const [name, call] of Object.entries<ModeCall>(MODE_CALLS)) {
      if (call[arch] === null) continue;
      const args = ARGUMENTS[name] ?? expect.fail(`where does ${name} have its mode?`);
      const ask = (mode: number, flags: number) => [name, on(call[arch], ...args(mode, flags))];
      for (const flags of makes) {
        for (const mode of [0o755, 0o1777, 0o100644, 0o40755]) expect(ask(mode, flags)).toEqual([name, ALLOW]);
        for (const mode of [0o4755, 0o2755, 0o6000, 0o102644, -1]) expect(ask(mode, flags)).toEqual([name, EPERM]);
      }
      if (name.startsWith("open")) expect(ask(0o7777, 0x8_0000)).toEqual([name, ALLOW]);
    }
  });

  test("only the socket families that a network namespace contains are allowed", () => {
    const { socket, personality } = JUDGED_CALLS;
    for (const family of [1, 2, 10, 16]) expect(on(socket[arch], family)).toBe(ALLOW);
    for (const family of [17, 38, 40, 15, 31]) expect(on(socket[arch], family)).toBe(EAFNOSUPPORT);
    for (const usual of [0, 8, 0xffff_ffff]) expect(on(personality[arch], usual)).toBe(ALLOW);
    expect(on(personality[arch], 0x40_0000)).toBe(EPERM);
  });
});

test("calls by their x32 numbers are denied", () => {
  const program = seccompFilter("x64") ?? Buffer.alloc(0);
  expect(judge(program, { nr: 0x4000_0000 + 39, arch: ARCH.x64 })).toBe(EPERM);
});

test("an architecture without a filter is refused", () => {
  expect(seccompFilter("riscv64")).toBeNull();
});

test("a jump to an unknown label, backwards or further than a byte can say is a bug", () => {
  expect(() => assemble([{ jump: "nowhere" }])).toThrow("cannot jump");
  expect(() => assemble([{ label: "here" }, { jump: "here" }])).toThrow("cannot jump");
  const over = (steps: number) =>
    assemble([
      { jump: "end" },
      ...Array.from({ length: steps }, () => ({ answer: 1 })),
      { label: "end" },
      { answer: 2 },
    ]);
  for (const steps of [0, 1, 255]) expect(judge(over(steps), { nr: 0, arch: 0 })).toBe(2);
  expect(() => over(256)).toThrow("cannot jump");
});

const HEADERS = [
  { arch: "x64", file: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h" },
  { arch: "arm64", file: "/usr/include/asm-generic/unistd.h" },
] as const;

test.each(HEADERS.filter(({ file }) => existsSync(file)))("the call numbers equal those of $file", ({ arch, file }) => {
  const header = readFileSync(file, "utf8");
  const known = new Map<string, number>();
  for (const [, name = "", number] of header.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm))
    known.set(name, Number(number));
  const calls = { ...DENIED_CALLS, ...ABSENT_CALLS, ...JUDGED_CALLS, ...MODE_CALLS };
  // A kernel header older than a call does not list it.
  const newest = Math.max(...known.values());
  const isKnown = (call: CallNumbers) => (call[arch] ?? 0) <= newest;
  for (const [name, call] of Object.entries<CallNumbers>(calls))
    if (isKnown(call)) expect([name, known.get(name) ?? null]).toEqual([name, call[arch]]);
});
