import { NomosError } from "../contract/index.ts";
import type { Output, Syscall } from "./define.ts";
import { dispatch, type Request } from "./dispatch.ts";
import type { Services } from "./services.ts";

/** A call from the same process: no surface stands in between, and no token is needed. Throws only `NomosError`s. */
export type CallAsOperator = (name: string, request: Omit<Request, "actor">) => Promise<Output>;

export function callAsOperator(services: Services, syscalls: readonly Syscall[]): CallAsOperator {
  const byName = new Map(syscalls.map((syscall) => [syscall.name, syscall]));
  const actor = { principal: "operator", capabilities: services.roles.operator, sessionId: null };
  return async (name, request) => {
    const syscall = byName.get(name);
    if (syscall === undefined) throw new NomosError("usage", { syscall: name });
    return dispatch(services, syscall, { ...request, actor });
  };
}
