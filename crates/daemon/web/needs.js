// What needs the person: questions to answer here, and the rest with the command that helps.

import { ask } from "/web/daemon.js";
import { readOwn } from "/web/feed.js";
import { mirror, onChange } from "/web/mirror.js";
import { element } from "/web/markdown.js";

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
  onChange((kind) => {
    if (kind === "snapshot" || /^(question|attention|workflow)\./.test(kind)) draw();
  });
}

function question(asked) {
  const form = element("form", element("p", element("strong", asked.agent), ` asks: ${asked.text}`));
  const told = element("p");
  told.setAttribute("role", "status");
  const give = async (answer) => {
    try {
      await ask("POST", `/questions/${asked.id}/answer`, { answer });
      readOwn();
    } catch (error) {
      told.textContent = error.message;
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
    form.append(text, element("button", "Answer"));
    form.addEventListener("submit", () => give(text.value));
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.append(told);
  return form;
}

function other(item) {
  const made = element("p", element("strong", item.subject), ` ${item.reason} `);
  if (item.hint) made.append(element("code", item.hint));
  return made;
}
