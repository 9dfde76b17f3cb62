import { isOwn } from "../frame/index.ts";
import { SafeText } from "../text/index.ts";

/** Who did it: `you` in this browser, `owner`, or the kind and the end of a long id. */
export function Actor({ name }: { readonly name: string }) {
  const [, kind = "", end = ""] = /^(\w+)[:/][\w-]{20,}([\w-]{6})$/.exec(name) ?? [];
  return (
    <span title={name}>
      <SafeText text={isOwn(name) ? "you" : kind === "" ? name : `${kind} …${end}`} oneLine />
    </span>
  );
}
