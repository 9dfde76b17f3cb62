import * as z from "zod";

export const Content = z.object({ encoding: z.enum(["utf8", "base64"]), content: z.string() });

/** UTF-8 text if the bytes are valid UTF-8, else base64, so that no byte changes. */
export function encode(bytes: Uint8Array): z.infer<typeof Content> {
  const text = Buffer.from(bytes).toString("utf8");
  if (Buffer.from(text).equals(Buffer.from(bytes))) return { encoding: "utf8", content: text };
  return { encoding: "base64", content: Buffer.from(bytes).toString("base64") };
}
