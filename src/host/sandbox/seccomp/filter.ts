import { assemble, type Step } from "./assemble.ts";
import {
  ABSENT_CALLS,
  type CallNumbers,
  DENIED_CALLS,
  JUDGED_CALLS,
  MODE_CALLS,
  type ModeCall,
} from "./call-numbers.ts";

export type FilteredArch = "x64" | "arm64";

/**
 * The system call filter of a strict sandbox: a deny-list, because agents run whatever a project needs. The namespaces
 * are the wall; the filter removes calls that were used to break walls before. Null for an unknown processor.
 */
export function seccompFilter(arch: string = process.arch): Buffer | null {
  if (arch !== "x64" && arch !== "arm64") return null;
  const numbers = (calls: { readonly [name: string]: CallNumbers }) =>
    Object.values(calls).flatMap((call) => call[arch] ?? []);
  return assemble([
    { load: ARCH_OFFSET },
    { whenEqual: AUDIT_ARCH[arch], go: "native" },
    // 32-bit calls on a 64-bit kernel have other numbers, so the rules below would not apply.
    { answer: KILL_PROCESS },
    { label: "native" },
    { load: NUMBER_OFFSET },
    ...(arch === "x64" ? [{ whenAtLeast: X32_BIT, go: "denied" }] : []),
    ...Object.entries(JUDGED_CALLS).map(([name, call]) => ({ whenEqual: numberOf(call, arch), go: name })),
    ...modeCalls(arch).map(([name, , number]) => ({ whenEqual: number, go: name })),
    ...numbers(DENIED_CALLS).map((number) => ({ whenEqual: number, go: "denied" })),
    ...numbers(ABSENT_CALLS).map((number) => ({ whenEqual: number, go: "absent" })),
    { jump: "allowed" },
    { label: "clone" },
    ...deniedByBit(0, NEW_NAMESPACES),
    { label: "unshare" },
    ...deniedByBit(0, NEW_NAMESPACES | NEW_TIME),
    { label: "ioctl" },
    { load: argument(1) },
    ...TERMINAL_TRICKS.map((request) => ({ whenEqual: request, go: "denied" })),
    { jump: "allowed" },
    { label: "personality" },
    { load: argument(0) },
    ...PERSONALITIES.map((value) => ({ whenEqual: value, go: "allowed" })),
    { jump: "denied" },
    { label: "socket" },
    { load: argument(0) },
    ...SOCKET_FAMILIES.map((family) => ({ whenEqual: family, go: "allowed" })),
    { answer: errno(EAFNOSUPPORT) },
    ...modeCalls(arch).flatMap(([name, call]) => deniedSetId(name, call)),
    { label: "denied" },
    { answer: errno(EPERM) },
    { label: "absent" },
    { answer: errno(ENOSYS) },
    { label: "allowed" },
    { answer: ALLOW },
  ]);
}

function modeCalls(arch: FilteredArch): (readonly [name: string, call: ModeCall, number: number])[] {
  return Object.entries<ModeCall>(MODE_CALLS).flatMap(([name, call]) => {
    const number = call[arch];
    return number === null ? [] : [[name, call, number] as const];
  });
}

/**
 * Denies set-id modes. A set-id program outlives the sandbox, and another account of the machine could run it as the
 * person. `nosuid` holds only inside.
 */
function deniedSetId(name: string, { flags, mode }: ModeCall): Step[] {
  if (flags === undefined) return [{ label: name }, ...deniedByBit(mode, SET_ID)];
  const makes = `${name} makes a file`;
  return [
    { label: name },
    { load: argument(flags) },
    { whenAnyBit: MAKES_A_FILE, go: makes },
    { jump: "allowed" },
    { label: makes },
    ...deniedByBit(mode, SET_ID),
  ];
}

function deniedByBit(index: number, bits: number): Step[] {
  return [{ load: argument(index) }, { whenAnyBit: bits, go: "denied" }, { jump: "allowed" }];
}

function numberOf(call: CallNumbers, arch: FilteredArch): number {
  const number = call[arch];
  if (number === null) throw new Error(`a judged call has no number on ${arch}`);
  return number;
}

/**
 * Offsets in `struct seccomp_data` (linux/seccomp.h). Of an argument, the lower half; both architectures are
 * little-endian.
 */
const NUMBER_OFFSET = 0;
const ARCH_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;
const ARGUMENT_BYTES = 8;

function argument(index: number): number {
  return ARGUMENTS_OFFSET + index * ARGUMENT_BYTES;
}

const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const X32_BIT = 0x4000_0000;

const KILL_PROCESS = 0x8000_0000;
const ALLOW = 0x7fff_0000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

function errno(code: number): number {
  return 0x0005_0000 | code;
}

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000;
/** CLONE_NEWTIME. In `clone` this bit is part of the signal number instead. */
const NEW_TIME = 0x80;

/** S_ISUID and S_ISGID. */
const SET_ID = 0o6000;
/** O_CREAT, and the bit that only O_TMPFILE has. */
const MAKES_A_FILE = 0x40_0040;

/** TIOCSTI injects input into the terminal, TIOCLINUX pastes into it. */
const TERMINAL_TRICKS = [0x5412, 0x541c] as const;

/** Linux, 32-bit Linux, and the query for the current one. */
const PERSONALITIES = [0x0, 0x8, 0xffff_ffff] as const;

/** Local, IPv4, IPv6, netlink. Others, such as vsock to the machine's host, ignore network namespaces. */
const SOCKET_FAMILIES = [1, 2, 10, 16] as const;
