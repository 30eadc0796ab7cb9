// Makes the questions on a policy's page smoother: one that is pressed stands in the field, and what htmx cannot fetch the
// browser opens as a page. Everything works without this.
(() => {
  "use strict";

  function fill(event) {
    const link = event.target.closest("#ask .examples a");
    if (link) document.getElementById("question").value = link.textContent;
  }

  function fetched(event) {
    if (event.target.closest("#ask")) location.assign(event.detail.pathInfo.finalRequestPath);
  }

  document.addEventListener("click", fill);
  document.addEventListener("htmx:responseError", fetched);
  document.addEventListener("htmx:sendError", fetched);
})();
