import { expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { isUuid } from "./ids.ts";

proves("K28", "only a lower-case version 7 id is valid", () => {
  const id = "0197b3c1-2d3e-7abc-8def-0123456789ab";
  expect(isUuid(id)).toBe(true);
  for (const text of [
    "",
    id.toUpperCase(),
    `${id} `,
    `${id}\n`,
    id.replaceAll("-", ""),
    id.replace("-7", "-4"),
    id.replace("-8", "-c"),
  ])
    expect(isUuid(text)).toBe(false);
});
