import { randomBytes } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { readSmallFile, writeFileAtomic } from "../../host/index.ts";

const TOKEN_BYTES_MAX = 1024;
const TOKEN_FORM = /^nmo_[0-9a-f]{64}$/;

/** The operator's token: made once, readable by its owner only. */
export async function operatorToken(home: string): Promise<string> {
  const path = join(home, "token");
  const known = await readSmallFile(path, TOKEN_BYTES_MAX).then(
    (text) => (text ?? "").trim(),
    () => "",
  );
  if (TOKEN_FORM.test(known)) {
    await chmod(path, 0o600);
    return known;
  }
  const token = `nmo_${randomBytes(32).toString("hex")}`;
  await writeFileAtomic(path, Buffer.from(`${token}\n`), { mode: 0o600 });
  return token;
}
