// The feed of changes, whose stream one window reads for all: a browser opens six connections to a
// daemon, for all its windows.
//
// The window that has the lock follows the stream, and tells the others how far it is. Each of them
// reads the rest itself, with its own token. So no message passes between windows, where a page
// could listen that another program served on this port.

import { stream } from "/web/daemon.js";

/// The name of the lock, and of the channel between windows.
const FEED = "feed";
/// ms without a sign of life after which a stream, or the window that follows it, is given up.
const SILENCE = 25000;
/// ms between two readings of a window that does not follow the stream.
const PAUSE = 200;

/// Whether the window that has the lock was silent: then the next request takes the lock from it.
let isSilent = false;

/// The feed that is heard, if one is.
let feed = null;

/// Reads at once what this window has just caused, whatever the window that has the lock does: it
/// stands still while a dialog of the browser is open there.
export function readOwn() {
  if (feed && !feed.free) feed.behind();
}

/// Hears changes after `{ epoch, seq }`, which moves on, until the connection ends, is silent for
/// long, or has lost something, or the page is hidden. Calls `opened` when the daemon has answered.
export async function hear(place, opened, take) {
  const heard = (feed = new Feed(place, opened, take));
  const look = () => document.hidden && heard.stop();
  document.addEventListener("visibilitychange", look);
  look();
  heard.heard();
  try {
    // A browser without locks shares nothing: each window follows the stream.
    await (navigator.locks ? heard.share() : heard.read());
  } finally {
    document.removeEventListener("visibilitychange", look);
    heard.close();
  }
}

class Feed {
  constructor(place, opened, take) {
    Object.assign(this, { place, opened, take, end: new AbortController(), isBehind: false });
  }

  stop() {
    this.end.abort();
    this.wake?.();
  }

  close() {
    clearTimeout(this.silence);
    this.stop();
    this.free?.();
    this.channel?.close();
  }

  /// Has what is missing read.
  behind() {
    this.isBehind = true;
    this.wake?.();
  }

  /// Notes a sign of life.
  heard() {
    clearTimeout(this.silence);
    const give = () => {
      isSilent = Boolean(this.channel) && !this.free;
      this.stop();
    };
    this.silence = setTimeout(give, SILENCE);
  }

  /// Follows the stream once it has the lock; until then reads whenever another window has read.
  async share() {
    const { signal } = this.end;
    this.channel = new BroadcastChannel(FEED);
    this.channel.onmessage = ({ data: { epoch, seq } }) => {
      this.heard();
      this.isBehind ||= epoch !== this.place.epoch || seq > this.place.seq;
      this.wake?.();
    };
    this.request(isSilent ? { steal: true } : { ifAvailable: true });
    isSilent = false;
    while (!signal.aborted && !this.free) {
      if (this.isBehind) {
        this.isBehind = false;
        await this.read({ isShort: true });
        await new Promise((go) => setTimeout(go, PAUSE));
      } else await new Promise((go) => (this.wake = go));
    }
    if (!signal.aborted) await this.read();
  }

  /// Asks for the lock, and waits for it where it is taken. The window has it until it is closed, or
  /// another takes the lock from it.
  request(options) {
    const { signal } = this.end;
    const granted = (lock) => {
      if (signal.aborted) return null;
      const held = lock && new Promise((go) => (this.free = go));
      if (!held) {
        this.request({ signal });
        // Something may have come since the place was known.
        this.behind();
      } else this.wake?.();
      return held;
    };
    navigator.locks.request(FEED, options, granted).catch(() => this.stop());
  }

  /// Reads the stream to its end, or as far as it was when the daemon answered.
  read({ isShort = false } = {}) {
    const { place, end } = this;
    let newest = Infinity;
    return stream(`/events?after=${place.epoch}-${place.seq}`, end.signal, (name, event) => {
      this.heard();
      if (name === "hello") {
        this.opened(event);
        newest = event.newest;
      }
      if (name === "reset") this.stop();
      if (event.kind) {
        place.seq = event.seq;
        this.take(event.kind, event.body);
      }
      if (!isShort) this.channel?.postMessage(place);
      return isShort && place.seq >= newest;
    });
  }
}
