import { NomosError } from "../../contract/index.ts";
import type { PresentSecret } from "./find-secret.ts";

/** The variable that holds a secret: the first that its bindings name, or its own name. */
export function variableOf({ secret: { name, bind } }: PresentSecret): string {
  return bind.find(({ env }) => env !== undefined)?.env ?? name;
}

/** Throws `secret_not_variable`. `taken`: another secret of the session that is to have the same variable. */
export function refuseVariable(name: string, variable: string, taken?: string): void {
  const problem =
    taken !== undefined
      ? `${taken} has the same one`
      : !/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)
        ? "it is no name of a variable"
        : STEERING.test(variable)
          ? "it steers how programs run"
          : null;
  if (problem === null) return;
  const message = `The secret ${name} cannot be the environment variable ${variable}: ${problem}.`;
  throw new NomosError("secret_not_variable", { name, variable }, { message });
}

/** With one of these a value would decide which program runs, or whom a process is taken for. */
const STEERING =
  /^(?:NOMOS_\w*|PATH|HOME|SHELL|USER|LOGNAME|PWD|IFS|ENV|BASH_ENV|TMPDIR|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|(?:LD|DYLD|BASH_FUNC)_\w*|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS)|PYTHON(?:PATH|STARTUP|HOME)|PERL5?(?:LIB|OPT)|RUBY(?:LIB|OPT)|GIT_(?:SSH\w*|EXEC_PATH|CONFIG\w*|DIR|EDITOR|PAGER|PROXY_COMMAND|EXTERNAL_DIFF)|\w*_PROXY|\w*_proxy|SSL_CERT_\w*)$/;
