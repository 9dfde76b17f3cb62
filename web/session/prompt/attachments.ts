import type { InputOf } from "../../../src/client/index.ts";

export type Attached = NonNullable<InputOf<"session.prompt">["attachments"]>[number] & { readonly bytes: number };

/** Files that a person picked, pasted or dropped. */
export async function attachedFrom(files: Iterable<File>): Promise<readonly Attached[]> {
  return Promise.all(
    Array.from(files, async (file): Promise<Attached> => {
      const isImage = file.type.startsWith("image/");
      return {
        kind: isImage ? "image" : "resource",
        name: file.name === "" ? "pasted" : file.name,
        ...(file.type === "" ? {} : { mediaType: file.type }),
        data: await base64Of(file),
        bytes: file.size,
      };
    }),
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
