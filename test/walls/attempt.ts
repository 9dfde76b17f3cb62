/** How to detect that an attempt got out, trusting the program as little as possible. */
export const PROOFS = {
  secret: "its output contains a secret that it was not given",
  planted: "its name appears in a file, a path or a message outside",
  victim: "a process outside is dead, stopped or changed",
  lives: "one of its processes still runs after all should have ended",
  says: "the kernel allowed its request, and it says so",
} as const;
export type Proof = keyof typeof PROOFS;

/** `agent`: lines for the fake agent, which asks its client. */
export type Language = "sh" | "python" | "node" | "agent";

/**
 * One way to get out. Variables tell the program what an attacker could know: `S` is a file outside, `D` a writable
 * directory outside, `T` a path in it to create, `P` the name to plant.
 */
export interface Attempt {
  readonly name: string;
  readonly tries: string;
  readonly by: Language;
  readonly text: string;
  readonly proof: Proof;
  /** Works only for root, also without walls. */
  readonly asRoot?: true;
  /** A file of the machine that it needs: where it is missing the attempt is skipped. */
  readonly about?: string;
}

export interface AttemptGroup {
  readonly id: string;
  readonly title: string;
  readonly attempts: readonly Attempt[];
}

type More = Pick<Attempt, "asRoot" | "about">;
type Words = readonly [name: string, tries: string, proof: Proof, text: string, more?: More];

export const sh = (...words: Words): Attempt => attempt("sh", ...words);
export const python = (...words: Words): Attempt => attempt("python", ...words);
export const node = (...words: Words): Attempt => attempt("node", ...words);

export const agent = (...words: Words): Attempt => attempt("agent", ...words);

function attempt(by: Language, ...[name, tries, proof, text, more = {}]: Words): Attempt {
  return { name, tries, by, text, proof, ...more };
}

export const ROOT: More = { asRoot: true };

export function idOf(group: AttemptGroup, { name }: Attempt): string {
  return `${group.id}.${name}`;
}
