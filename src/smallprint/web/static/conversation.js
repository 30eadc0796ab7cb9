// Makes a conversation smoother: a new turn comes into view, the focus goes where one goes on from, and who comes back from
// a policy finds all that was said, which the tab remembers and nobody else. Everything works without this.
(() => {
  "use strict";

  const talk = document.getElementById("conversation");
  const turns = document.getElementById("turns");
  let typed = false; // whether the last turn was typed, and not chosen

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

  talk.addEventListener("submit", (event) => (typed = event.target.classList.contains("speak")), true);
  talk.addEventListener("click", forget);
  document.addEventListener("htmx:afterSettle", came);
  restore();
})();
