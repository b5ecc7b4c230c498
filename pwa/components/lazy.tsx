// A component whose code is loaded when it is first shown; until then its place is empty.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [failed, setFailed] = useState(false);
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setReady(true);
        },
        () => setFailed(true),
      );
    }, []);
    if (failed) return <p class="quiet">This part could not be loaded. It needs a connection once.</p>;
    const Component = loaded;
    return Component === undefined ? null : <Component {...props} />;
  };
}
