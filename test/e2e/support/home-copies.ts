import { cp, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { CHOSEN_STORE } from "../../support/chosen-store.ts";
import { newHome } from "../../support/daemon.ts";

/**
 * Gives a test its own home to spoil. The home is made once for the file and then copied; a log in PostgreSQL would
 * not come along, so there each is made anew.
 */
export function homeCopies(make: (home: string) => Promise<void>): () => Promise<string> {
  let original: string;
  beforeAll(async () => {
    original = await newHome();
    if (CHOSEN_STORE === "sqlite") await make(original);
  });
  afterAll(() => rm(dirname(original), { recursive: true, force: true }));
  return async () => {
    const home = await newHome();
    if (CHOSEN_STORE === "sqlite") await cp(original, home, { recursive: true });
    else await make(home);
    return home;
  };
}
