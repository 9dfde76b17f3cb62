import { setFlagsFromString } from "node:v8";

/**
 * A daemon sleeps most of the time, and V8 keeps what it took while there was much to do: it lets the young generation
 * grow to many times its size and the old one to several times what is alive. Both grow slowly here, which costs a few
 * more short collections under load. For the whole process, so that threads started from now on do the same.
 */
export function growHeapSlowly(): void {
  setFlagsFromString(`--semi-space-growth-factor=${SEMI_SPACE_GROWTH_FACTOR}`);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
}

const SEMI_SPACE_GROWTH_FACTOR = 1;
const HEAP_GROWING_PERCENT = 30;
