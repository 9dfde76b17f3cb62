export { Button, IconButton } from "./button.tsx";
export { Copy, CopyButton } from "./copy.tsx";
export { Empty } from "./empty.tsx";
export { Field, Progress, Select } from "./fields.tsx";
export { Ago, bytesText, costText, countText, tokensText } from "./figures.tsx";
export { Icon, type IconName } from "./icon.tsx";
export { Rows } from "./rows.tsx";
export { Badge, type Standing, StateBadge, standingOf } from "./state-badge.tsx";
export { Tabs } from "./tabs.tsx";
