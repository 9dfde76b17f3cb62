import { expectTypeOf, test } from "vitest";
import { AGENTS, AgentIdentity, type AgentState, System, type SystemState } from "../domains/index.ts";
import { SESSIONS, Session, type SessionRow, type SessionState } from "../kernel/index.ts";
import type { Store } from "./port.ts";

/** Checked by the compiler; nothing runs here. */
test("a fold has the state type of its aggregate, and a row the shape of its list", () => {
  const session = (store: Store) => store.fold(Session, "id");
  expectTypeOf(session).returns.resolves.toEqualTypeOf<SessionState>();
  const agent = (store: Store) => store.fold(AgentIdentity, "slug", 3);
  expectTypeOf(agent).returns.resolves.toEqualTypeOf<AgentState>();
  const system = (store: Store) => store.fold(System, "");
  expectTypeOf(system).returns.resolves.toEqualTypeOf<SystemState>();
  const row = (store: Store) => store.row(SESSIONS, "id");
  expectTypeOf(row).returns.resolves.toEqualTypeOf<SessionRow | null>();
  const rows = (store: Store) => store.rows(AGENTS, { limit: 1 });
  expectTypeOf(rows).returns.resolves.toEqualTypeOf<readonly AgentState[]>();
});
