import { setFlagsFromString } from "node:v8";

/**
 * Keeps the memory of an idle daemon small. By default V8 lets both heap generations grow to several times what is alive and
 * keeps that memory. Here they grow slowly, at the cost of a few more short collections under load. The flags apply to the
 * whole process, so threads started later use them too.
 */
export function growHeapSlowly(): void {
  setFlagsFromString(`--semi-space-growth-factor=${SEMI_SPACE_GROWTH_FACTOR}`);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
}

const SEMI_SPACE_GROWTH_FACTOR = 1;
const HEAP_GROWING_PERCENT = 30;
