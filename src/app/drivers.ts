import { NomosError } from "../contract/index.ts";
import { type Driver, demoDriver, externalDriver, scriptDriver } from "../drivers/index.ts";
import type { ConfigService } from "../syscalls/index.ts";

export interface Drivers {
  readonly get: (slug: string) => Driver;
  readonly list: () => readonly Driver[];
  readonly file: (slug: string) => string | null;
  readonly environment: (slug: string) => Readonly<Record<string, string>>;
}

/** The built-in drivers, and one for each file that the configuration names. Read anew each time: the table is hot. */
export function createDrivers(config: ConfigService): Drivers {
  const builtIn = new Map([demoDriver(), scriptDriver(), externalDriver()].map((driver) => [driver.slug, driver]));
  const override = (slug: string) => config.show().drivers?.[slug];
  const get = (slug: string): Driver => {
    const known = builtIn.get(slug);
    if (known !== undefined) return known;
    const file = override(slug)?.file;
    if (file !== undefined) return scriptDriver(slug, file);
    throw new NomosError("not_installed", {
      driver: slug,
      installed: [...builtIn.keys()],
    });
  };
  return {
    get,
    list: () => {
      const own = Object.entries(config.show().drivers ?? {}).flatMap(([slug, { file }]) =>
        file === undefined || builtIn.has(slug) ? [] : [get(slug)],
      );
      return [...builtIn.values(), ...own];
    },
    file: (slug) => override(slug)?.file ?? null,
    environment: (slug) => {
      const { env = {}, home } = override(slug) ?? {};
      return home === undefined ? env : { ...env, HOME: home };
    },
  };
}
