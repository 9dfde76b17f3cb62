/** One step of a filter. Jumps name labels further down, because the kernel allows only forward jumps. */
export type Step =
  | { readonly load: number }
  | { readonly whenEqual: number; readonly go: string }
  | { readonly whenAtLeast: number; readonly go: string }
  | { readonly whenAnyBit: number; readonly go: string }
  | { readonly jump: string }
  | { readonly answer: number }
  | { readonly label: string };

/** Assembles a classic BPF program (linux/filter.h), little-endian, as `bwrap --seccomp` reads it. */
export function assemble(steps: readonly Step[]): Buffer {
  const places = new Map<string, number>();
  let length = 0;
  for (const step of steps) {
    if ("label" in step) places.set(step.label, length);
    else length += 1;
  }
  const bytes = Buffer.alloc(length * INSTRUCTION_BYTES);
  let at = 0;
  for (const step of steps) {
    if ("label" in step) continue;
    const { code, ifTrue, k } = encode(step, (label) => distance(places, label, at));
    bytes.writeUInt16LE(code, at * INSTRUCTION_BYTES);
    bytes.writeUInt8(ifTrue, at * INSTRUCTION_BYTES + 2);
    bytes.writeUInt32LE(k, at * INSTRUCTION_BYTES + 4);
    at += 1;
  }
  return bytes;
}

const INSTRUCTION_BYTES = 8;
/** The offset of a conditional jump is one byte. */
const JUMP_MAX = 255;

const LOAD_WORD = 0x20;
const JUMP_ALWAYS = 0x05;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

interface Encoded {
  readonly code: number;
  readonly ifTrue: number;
  readonly k: number;
}

function encode(step: Exclude<Step, { label: string }>, far: (label: string) => number): Encoded {
  if ("load" in step) return { code: LOAD_WORD, ifTrue: 0, k: step.load };
  if ("answer" in step) return { code: RETURN, ifTrue: 0, k: step.answer };
  if ("jump" in step) return { code: JUMP_ALWAYS, ifTrue: 0, k: far(step.jump) };
  if ("whenEqual" in step) return { code: JUMP_EQUAL, ifTrue: far(step.go), k: step.whenEqual };
  if ("whenAtLeast" in step) return { code: JUMP_AT_LEAST, ifTrue: far(step.go), k: step.whenAtLeast };
  return { code: JUMP_ANY_BIT, ifTrue: far(step.go), k: step.whenAnyBit };
}

function distance(places: ReadonlyMap<string, number>, label: string, at: number): number {
  const place = places.get(label);
  const far = place === undefined ? -1 : place - at - 1;
  if (far < 0 || far > JUMP_MAX) throw new Error(`a filter cannot jump to ${label} from step ${at}`);
  return far;
}
