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
  const draw = (changed) => {
    for (const [id, form] of forms) {
      if (mirror.questions.has(id)) continue;
      forms.delete(id);
      form.end(changed?.id === id ? changed : null);
    }
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
  asked.addEventListener("mouseleave", () => {
    for (const form of asked.querySelectorAll(".over")) takeAway(form);
  });
  setInterval(() => {
    for (const form of forms.values()) form.tick();
  }, 1000);
  onChange((kind, body) => {
    if (kind === "snapshot") for (const form of forms.values()) form.reached();
    if (kind === "snapshot" || /^(question|attention|workflow)\./.test(kind)) draw(body);
  });
}

/// Takes a form away. Its focus goes to the next form, but to no button of it, which a second Enter
/// would press; behind the last one to the message box. On a phone, and with a draft in the box,
/// which that Enter would send, it goes to what is read.
function takeAway(form) {
  const hasFocus = form.contains(document.activeElement);
  const next = form.nextElementSibling ?? form.previousElementSibling;
  form.remove();
  if (!hasFocus) return;
  if (next) next.tabIndex = -1;
  const isWide = matchMedia("(min-width: 40rem)").matches;
  const empty = "#composer:not([hidden]) #text:enabled:placeholder-shown";
  const box = isWide && document.querySelector(empty);
  (next ?? (box || document.querySelector(".flow:not([hidden])"))).focus();
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
  let isOver = false;
  let isAnswered = false;
  const tell = (error) => {
    if (isOver) return;
    failed = error;
    told.textContent = error ? visible(inWords(error)) : "";
  };
  // What may not be refused again is not told any more once the daemon has answered.
  form.reached = () => failed && !isFinal(failed) && tell(null);
  const give = async (answer) => {
    tell(null);
    isAnswered = true;
    try {
      await ask("POST", `/questions/${asked.id}/answer`, { answer });
      readOwn();
    } catch (error) {
      isAnswered = false;
      tell(error);
    }
  };
  /// Its question was closed elsewhere, and it stays to say so.
  const over = (closed) => {
    tell(null);
    isOver = true;
    left.textContent = "";
    told.textContent = visible(became(closed));
  };
  const found = () => ask("GET", `/questions/${asked.id}`).catch(() => ({}));
  /// Takes it away once its question is not open: `closed`, where that is known. Below a pointer it
  /// stays until that leaves: the next form would move up, and a click would answer its question.
  form.end = async (closed) => {
    const isPointed = !isAnswered && form.parentElement.matches(":hover");
    if (!isPointed) return takeAway(form);
    form.style.height = `${form.getBoundingClientRect().height}px`;
    form.className = "over";
    for (const one of form.querySelectorAll("button, input")) one.disabled = true;
    over(closed ?? (await found()));
  };
  const options = asked.kind === "permission" ? ["allow", "deny"] : asked.options;
  for (const option of options) {
    const button = element("button", option);
    button.type = "button";
    // The second half of a double click is for the button before: the next form moves up below it.
    button.addEventListener("click", ({ detail }) => detail > 1 || give(option));
    form.append(button);
  }
  if (options.length === 0) {
    const text = element("input");
    text.setAttribute("aria-label", "Answer");
    text.addEventListener("input", () => tell(null));
    const button = element("button", "Answer");
    form.append(text, button);
    form.addEventListener("submit", () => isOver || give(text.value));
    const { end } = form;
    // What was typed and is not the answer stays until it is dismissed.
    form.end = async (closed) => {
      const typed = () => text.value.trim();
      if (typed() === "") return end(closed);
      closed ??= await found();
      if (closed.answer === typed()) return takeAway(form);
      text.readOnly = true;
      over(closed);
      button.type = "button";
      button.textContent = "Dismiss";
      button.addEventListener("click", () => takeAway(form));
    };
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.append(told);
  return form;
}

/// What became of a question that is not open any more.
function became({ answer, expired_because: because }) {
  if (typeof answer === "string") return `already answered: ${answer}`;
  return because ? `closed: ${because}` : "not open any more";
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
