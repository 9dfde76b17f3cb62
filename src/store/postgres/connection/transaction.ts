import type { Connection } from "./connection.ts";

/** For reads that must agree with each other. */
export const ONE_MOMENT = "ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** All of it or nothing. What a connection that is gone has begun, PostgreSQL undoes by itself. */
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
