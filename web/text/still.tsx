import { Component, type ComponentType, type VNode } from "preact";

/**
 * A part that is drawn again only when its properties change. A transcript draws itself anew with every piece of a text that
 * arrives; the texts above it stay as they are.
 */
export function still<P extends object>(View: (props: P) => VNode): ComponentType<P> {
  return class Still extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const [before, after] = [new Map(Object.entries(this.props)), new Map(Object.entries(next))];
      return before.size !== after.size || [...after].some(([name, value]) => before.get(name) !== value);
    }

    override render(): VNode {
      return <View {...(this.props as P)} />;
    }
  };
}
