import type { Syscall } from "../define.ts";
import { governanceCompile } from "./compile.ts";
import { governanceReads } from "./read.ts";
import { governanceSetup } from "./setup.ts";

/** The laws of repositories. */
export const governance: readonly Syscall[] = [...governanceSetup, ...governanceCompile, ...governanceReads];
