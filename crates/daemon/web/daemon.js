// The daemon's HTTP interface, as this page's tab may use it.

const KEPT = "token";

/// What the daemon said instead of an answer.
export class Refused extends Error {
  constructor(status, { message, hint }) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/// No answer came: the daemon is down, or the connection was cut.
export class Unanswered extends Error {
  constructor() {
    super("the daemon does not answer");
    this.hint = "agent-worker daemon start";
  }
}

/// Whether asking again would be refused again.
export const isFinal = (error) => error instanceof Refused && error.status < 500;

/// What is wrong, and what to do about it.
export const inWords = ({ message, hint }) => (hint ? `${message} (${hint})` : message);

/// Gets a token for the code in the address, which this tab keeps, and takes the code out once it
/// was answered. False without either.
export async function enter() {
  const code = location.hash.slice(1);
  if (code) {
    const forget = () => history.replaceState(null, "", location.pathname);
    try {
      const { token } = await ask("POST", "/web/enter", { code });
      sessionStorage.setItem(KEPT, token);
      forget();
    } catch (error) {
      if (isFinal(error)) forget();
      // A link that was used takes nothing from a tab that is in.
      if (sessionStorage.getItem(KEPT) === null) throw error;
    }
  }
  return sessionStorage.getItem(KEPT) !== null;
}

/// Forgets the token: the daemon does not know it any more.
export function leave() {
  sessionStorage.removeItem(KEPT);
}

function headers() {
  const token = sessionStorage.getItem(KEPT);
  return token ? { authorization: `Bearer ${token}` } : {};
}

async function answered(response) {
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new Refused(response.status, said.error ?? { message: `status ${response.status}` });
}

/// Asks, and gives the answer. A key makes it safe to repeat.
export async function ask(method, path, body, key) {
  const given = { ...headers() };
  if (body !== undefined) given["content-type"] = "application/json";
  if (key) given["idempotency-key"] = key;
  const request = { method, headers: given, body: body && JSON.stringify(body) };
  try {
    return await (await answered(await fetch(path, request))).json();
  } catch (error) {
    // The browser's own words do not say what to do.
    throw error instanceof TypeError ? new Unanswered() : error;
  }
}

/// Reads a stream of events until it ends or is broken off, or `take` returns true. It is not kept:
/// for what it keeps, a browser has one window wait for another that reads the same.
export async function stream(path, signal, take) {
  const request = { headers: headers(), signal, cache: "no-store" };
  const response = await answered(await fetch(path, request));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const text of events) {
      const event = { name: "message", id: "", data: "" };
      for (const line of text.split("\n")) {
        const [, field, content] = line.match(/^([a-z]+): ?(.*)$/s) ?? [];
        if (field === "event") event.name = content;
        if (field === "id") event.id = content;
        if (field === "data") event.data += content;
      }
      if (event.data && take(event.name, JSON.parse(event.data), event.id) === true) {
        return reader.cancel();
      }
    }
  }
}
