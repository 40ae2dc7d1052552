// What needs the person: questions to answer here, and the rest with the command that helps.

import { ask, inWords, isFinal } from "/web/daemon.js";
import { readOwn } from "/web/feed.js";
import { mirror, now, onChange } from "/web/mirror.js";
import { element, visible } from "/web/markdown.js";

/// What an agent does, before what it asks for.
const DOES = { question: "asks", permission: "wants to use" };

/// Draws what needs the person, and again when that changes.
export function showNeeds(section) {
  const [asked, rest] = [element("div"), element("div")];
  asked.setAttribute("aria-live", "polite");
  section.append(asked, rest);
  // A form stays as long as its question is open: it has what is typed, and the focus.
  const forms = new Map();
  const draw = () => {
    for (const [id, form] of forms) if (!mirror.questions.has(id)) (form.remove(), forms.delete(id));
    for (const [id, open] of mirror.questions) {
      if (forms.has(id)) continue;
      forms.set(id, question(open));
      asked.append(forms.get(id));
    }
    const others = [...mirror.attention.values()].flat()
      .filter((item) => !["question", "mention"].includes(item.kind))
      .map(other);
    rest.replaceChildren(...others);
  };
  setInterval(() => {
    for (const form of forms.values()) form.tick();
  }, 1000);
  onChange((kind) => {
    if (kind === "snapshot") for (const form of forms.values()) form.reached();
    if (kind === "snapshot" || /^(question|attention|workflow)\./.test(kind)) draw();
  });
}

function question(asked) {
  const wants = element("p", element("strong", asked.agent), ` ${DOES[asked.kind]}: ${asked.text}`);
  const left = element("small");
  // A screen reader does not read it out each second.
  left.setAttribute("aria-live", "off");
  const form = element("form", wants, left);
  form.tick = () => (left.textContent = visible(deadline(asked)));
  form.tick();
  const told = element("p");
  told.setAttribute("role", "status");
  let failed = null;
  const tell = (error) => {
    failed = error;
    told.textContent = error ? visible(inWords(error)) : "";
  };
  // What may not be refused again is not told any more once the daemon has answered.
  form.reached = () => failed && !isFinal(failed) && tell(null);
  const give = async (answer) => {
    tell(null);
    try {
      await ask("POST", `/questions/${asked.id}/answer`, { answer });
      readOwn();
    } catch (error) {
      tell(error);
    }
  };
  const options = asked.kind === "permission" ? ["allow", "deny"] : asked.options;
  for (const option of options) {
    const button = element("button", option);
    button.type = "button";
    button.addEventListener("click", () => give(option));
    form.append(button);
  }
  if (options.length === 0) {
    const text = element("input");
    text.setAttribute("aria-label", "Answer");
    text.addEventListener("input", () => tell(null));
    form.append(text, element("button", "Answer"));
    form.addEventListener("submit", () => give(text.value));
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.append(told);
  return form;
}

/// How long a question waits, and what applies then.
function deadline({ kind, default: answer, expires_at }) {
  const left = `${span(expires_at - now())} left`;
  if (kind === "permission") return `${left}, then denied`;
  return answer === null ? left : `${left}, then: ${answer}`;
}

/// A time in ms, in its two largest units.
function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [days, hours, minutes] = [86400, 3600, 60].map((unit) => Math.floor(seconds / unit));
  if (days > 0) return `${days}d ${hours % 24}h`;
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

function other(item) {
  const made = element("p", element("strong", item.subject), ` ${item.reason} `);
  if (item.hint) made.append(element("code", item.hint));
  return made;
}
