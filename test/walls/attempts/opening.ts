/** Opened and closed again; nothing is written. */
export const opens = (path: string, how: "O_RDONLY" | "O_WRONLY" = "O_WRONLY") => `
import os
os.close(os.open("${path}", os.${how})); print("ESCAPED")`;
export const reads = (path: string) => `
data = open("${path}", "rb").read(4096)
print("ESCAPED" if data.strip() else "empty")`;

/** Any file that matches the pattern and can be opened. */
export const opensAny = (pattern: string) => `
import glob, os
for path in sorted(glob.glob("${pattern}"))[:200]:
    try: os.close(os.open(path, os.O_WRONLY)); print("ESCAPED", path); break
    except OSError as e: print(path, e)`;
export const about = (path: string) => ({ asRoot: true, about: path }) as const;
