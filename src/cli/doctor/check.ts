/** One check and its result. A warning is information; a problem makes the verdict negative. */
export interface Check {
  readonly name: string;
  readonly finding: "fine" | "warning" | "problem";
  readonly message: string;
  readonly remedy: string | null;
}

export function fine(name: string, message: string): Check {
  return { name, finding: "fine", message, remedy: null };
}

export function warning(name: string, message: string, remedy: string): Check {
  return { name, finding: "warning", message, remedy };
}

export function problem(name: string, message: string, remedy: string): Check {
  return { name, finding: "problem", message, remedy };
}
