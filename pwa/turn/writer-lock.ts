// Makes one tab of this browser the writer of a session, by Web Locks, or by a lease if the browser has none.

export type Role = "writer" | "reader";

export interface WriterLock {
  /** Makes this tab the writer, and the previous writer a reader. */
  takeOver(): void;
  release(): void;
}

const leaseMs = 5_000;
const renewMs = 1_500;

/** Asks for the lock of `name` until it is released. `onRole` is called at once and on every change. */
export function holdWriter(name: string, tabId: string, onRole: (role: Role) => void): WriterLock {
  // Plain http on a LAN is not a secure context: navigator.locks is missing there, although its type says otherwise.
  const locks: LockManager | undefined = navigator.locks;
  const visible = visibleFirst(name, tabId, () => lock.takeOver());
  const said = (role: Role) => {
    onRole(role);
    visible.onRole(role);
  };
  const lock =
    locks === undefined ? byLease(`handrail-writer/${name}`, tabId, said) : byLock(locks, name, said);
  return {
    takeOver: lock.takeOver,
    release: () => {
      visible.release();
      lock.release();
    },
  };
}

/**
 * A visible reader asks to be the writer, and a hidden writer agrees. Otherwise a background tab would take over
 * whenever the visible one is reloaded.
 */
function visibleFirst(name: string, tabId: string, takeOver: () => void) {
  const tabs = new BroadcastChannel(`handrail-writer/${name}`);
  let role: Role | undefined;
  const ask = () => {
    if (role === "reader" && document.visibilityState === "visible") tabs.postMessage(`want ${tabId}`);
  };
  tabs.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== "string") return;
    const [word, id] = data.split(" ");
    if (word === "want" && role === "writer" && document.visibilityState === "hidden") {
      tabs.postMessage(`take ${id}`);
    }
    if (word === "take" && id === tabId && role === "reader") takeOver();
  };
  document.addEventListener("visibilitychange", ask);
  return {
    onRole: (next: Role) => {
      role = next;
      ask();
    },
    release: () => {
      document.removeEventListener("visibilitychange", ask);
      tabs.close();
    },
  };
}

function byLock(locks: LockManager, name: string, onRole: (role: Role) => void): WriterLock {
  let released = false;
  let letGo = () => {};
  const held = () => {
    if (released) return undefined;
    onRole("writer");
    return new Promise<void>((resolve) => {
      letGo = resolve;
    });
  };
  const wait = () => {
    locks.request(name, held).catch(() => {
      if (released) return;
      onRole("reader");
      wait();
    });
  };
  locks
    .request(name, { ifAvailable: true }, (lock) => {
      if (lock !== null) return held();
      onRole("reader");
      wait();
      return undefined;
    })
    .catch(() => {
      if (released) return;
      onRole("reader");
      wait();
    });
  return {
    takeOver: () => {
      locks.request(name, { steal: true }, held).catch(() => {
        if (released) return;
        onRole("reader");
        wait();
      });
    },
    release: () => {
      released = true;
      letGo();
    },
  };
}

function byLease(key: string, tabId: string, onRole: (role: Role) => void): WriterLock {
  let role: Role | undefined;
  const set = (next: Role) => {
    if (next !== role) onRole(next);
    role = next;
  };
  const take = () => {
    localStorage.setItem(key, `${tabId} ${Date.now() + leaseMs}`);
    set("writer");
  };
  const check = () => {
    const [owner, until] = (localStorage.getItem(key) ?? "").split(" ");
    const free = owner === undefined || owner === "" || owner === tabId || Number(until) < Date.now();
    if (free) take();
    else set("reader");
  };
  const timer = setInterval(check, renewMs);
  const onStorage = (event: StorageEvent) => {
    if (event.key === key) check();
  };
  window.addEventListener("storage", onStorage);
  const release = () => {
    clearInterval(timer);
    window.removeEventListener("storage", onStorage);
    window.removeEventListener("pagehide", letGo);
    letGo();
  };
  const letGo = () => {
    if (localStorage.getItem(key)?.startsWith(`${tabId} `)) localStorage.removeItem(key);
  };
  window.addEventListener("pagehide", letGo);
  check();
  return { takeOver: take, release };
}
