import type { Connection } from "./connection.ts";

/** For reads that must be consistent with each other. */
export const ONE_MOMENT = "ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** Runs work atomically. PostgreSQL rolls back by itself when the connection is lost. */
export async function inTransaction<T>(
  connection: Connection,
  work: () => Promise<T>,
  mode = "ISOLATION LEVEL READ COMMITTED",
): Promise<T> {
  await connection.query(`BEGIN ${mode}`);
  try {
    const done = await work();
    await connection.query("COMMIT");
    return done;
  } catch (cause) {
    if (connection.isOpen()) await connection.query("ROLLBACK").catch(() => connection.close());
    throw cause;
  }
}
