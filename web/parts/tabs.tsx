import type { ComponentChildren } from "preact";

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly name: ComponentChildren }[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  readonly children: ComponentChildren;
}

/** Arrow keys move between the tabs. */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === chosen}
            aria-controls={`panel-${id}`}
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`panel-${chosen}`} aria-labelledby={`tab-${chosen}`} tabIndex={-1}>
        {children}
      </div>
    </div>
  );
}
