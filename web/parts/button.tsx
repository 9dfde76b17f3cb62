import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  readonly icon?: IconName;
  /** The key that does the same, shown in it. */
  readonly keyName?: string;
  readonly disabled?: boolean;
  readonly title?: string;
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
}

export function Button({ kind = "plain", type = "button", icon, keyName, children, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} class={`button button-${kind}`}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {keyName !== undefined && <kbd class="button-key">{keyName}</kbd>}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** Read by screen readers and shown as a tip. */
  readonly name: string;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly onClick: () => void;
}

export function IconButton({ icon, name, disabled = false, pressed, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={name}
      title={name}
      disabled={disabled}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
