import type { CompiledLaw, LawProblem } from "../../../domains/index.ts";
import type { Governed, SoundLaw } from "../../../governance/index.ts";

/** The law of one repository as its default branch holds it now. */
export interface HeldLaw {
  readonly governed: Governed;
  /** Null while the law does not hold: then nothing may be changed under it. */
  readonly sound: SoundLaw | null;
  /** What sessions are judged by; null: as above. */
  readonly compiled: CompiledLaw | null;
  readonly problems: readonly LawProblem[];
}
