// Sends what htmx could not: a form that asks or judges is then sent as forms are, and the browser shows the page that
// comes back. Everything works without this.
(() => {
  "use strict";

  let pressed = null; // the button by which a form was sent last

  function failed(event) {
    const form = event.target.closest("form[method=post]");
    if (!form) return;
    if (pressed && pressed.name && pressed.form === form) {
      const said = document.createElement("input");
      said.type = "hidden";
      said.name = pressed.name;
      said.value = pressed.value;
      form.append(said);
    }
    form.submit();
  }

  document.addEventListener("submit", (event) => (pressed = event.submitter), true);
  document.addEventListener("htmx:responseError", failed);
  document.addEventListener("htmx:sendError", failed);
})();
