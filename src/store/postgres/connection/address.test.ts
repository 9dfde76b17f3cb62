import { expect, test } from "vitest";
import { parseAddress, withoutPassword } from "./address.ts";

test("the schema is taken out of the address; the rest goes to the driver", () => {
  const found = parseAddress("postgres://me:secret@db.example:5433/fleet?schema=team_a&sslmode=require");
  expect(found.schema).toBe("team_a");
  expect(found.connectionString).toBe("postgres://me:secret@db.example:5433/fleet?sslmode=require");
  expect(parseAddress("postgresql://localhost/x").schema).toBe("nomos");
  expect(parseAddress("postgres:///x?host=/run/postgresql", "other").schema).toBe("other");
});

test("an unreadable address, or a schema that needs quoting, is refused without quoting the address", () => {
  for (const url of ["", "mysql://me:secret@h/x", "postgres://me:secret@[h", "postgres://me:secret@h/x?schema=A%22B"]) {
    let message = "";
    try {
      parseAddress(url);
    } catch (thrown) {
      message = String(thrown);
    }
    expect(message).toContain("store_unreachable");
    expect(message).not.toContain("secret");
  }
});

test("a shown address has no password, wherever it stood", () => {
  expect(withoutPassword("postgres://me:secret@h:1/x?schema=s")).toBe("postgres://me:***@h:1/x?schema=s");
  expect(withoutPassword("postgres://h/x")).toBe("postgres://h/x");
  for (const url of ["postgres://h/x?password=secret", "postgres://h/x?sslpassword=secret&schema=s", "secret"])
    expect(withoutPassword(url)).not.toContain("secret");
});
