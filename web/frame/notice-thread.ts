/** Shows notices for the page and brings it back when one is pressed: phones allow it only from here. */
interface World {
  readonly clients: {
    readonly matchAll: (options: {
      readonly includeUncontrolled: true;
      readonly type: "window";
    }) => Promise<readonly Tab[]>;
    readonly openWindow: (url: string) => Promise<unknown>;
  };
  onnotificationclick: ((event: Pressed) => void) | null;
}

interface Tab {
  readonly focus: () => Promise<Tab>;
  readonly postMessage: (message: unknown) => void;
}

interface Pressed {
  readonly notification: { readonly data: unknown; readonly close: () => void };
  readonly waitUntil: (work: Promise<unknown>) => void;
}

const world = globalThis as unknown as World;

world.onnotificationclick = (event) => {
  event.notification.close();
  event.waitUntil(show(String(event.notification.data)));
};

async function show(path: string): Promise<void> {
  const [tab] = await world.clients.matchAll({ includeUncontrolled: true, type: "window" });
  if (tab === undefined) await world.clients.openWindow(path);
  else (await tab.focus()).postMessage({ goTo: path });
}
