/** A command that does not come from the syscall table. */
export interface Everyday {
  /** The help lists it under this subject: a family of syscalls, or a word of its own. */
  readonly subject: string;
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly (readonly [option: string, meaning: string])[];
}
