// Makes a conversation smoother: a new turn comes into view, the focus goes where one goes on from, and who comes back from
// a policy finds all that was said, which the tab remembers and nobody else. Everything works without this.
(() => {
  "use strict";

  const talk = document.getElementById("conversation");
  const turns = document.getElementById("turns");
  const note = document.getElementById("waiting");
  const waiting = []; // questions that were sent while the reply before them was being made
  let asked = ""; // the question that is being answered
  let typed = false; // whether the last turn was typed, and not chosen

  // htmx would drop what is sent while a reply is awaited: it is kept, and sent next.
  function sent(event) {
    const form = event.target;
    typed = form.classList.contains("speak");
    const chosen = event.submitter && event.submitter.classList.contains("suggestion");
    const question = typed ? form.elements.said.value : chosen ? event.submitter.value : "";
    if (!talk.classList.contains("htmx-request")) {
      asked = question;
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    if (question && question !== (waiting.at(-1) || asked)) waiting.push(question); // Enter pressed twice asks once
    if (typed) form.elements.said.value = "";
    tell();
  }

  function sendNext() {
    if (!waiting.length) return;
    const field = document.getElementById("said");
    field.value = waiting.shift();
    tell();
    field.form.requestSubmit();
  }

  function tell() {
    note.hidden = !waiting.length;
    note.textContent = `${note.dataset.label} ${waiting.map((question) => `“${question}”`).join(", ")}`;
  }

  function came(event) {
    if (event.detail.target === turns) {
      const last = turns.lastElementChild;
      last.scrollIntoView({ block: "start" });
      // A telephone would bring its keyboard up over the reply.
      const stays = typed && !matchMedia("(pointer: coarse)").matches;
      (stays ? document.getElementById("said") : last).focus({ preventScroll: true });
      const examples = document.querySelector("#conversation + .entry");
      if (examples) examples.remove();
    }
    keep();
    if (event.detail.target === turns) sendNext();
  }

  function keep() {
    const said = { turns: turns.innerHTML, say: document.getElementById("say").innerHTML };
    try {
      history.replaceState({ ...history.state, said }, "");
    } catch {
      // It has grown too long to be remembered.
    }
  }

  // A link to the page one is on keeps what its history entry remembers.
  function forget(event) {
    if (event.target.closest(".anew")) history.replaceState(null, "");
  }

  function restore() {
    const said = history.state && history.state.said;
    if (!said) return;
    turns.innerHTML = said.turns;
    document.getElementById("say").innerHTML = said.say;
  }

  talk.addEventListener("submit", sent, true);
  talk.addEventListener("click", forget);
  document.addEventListener("htmx:afterSettle", came);
  restore();
})();
