// Makes the questions on a policy's page smoother: one that is pressed stands in the field, and what htmx cannot fetch the
// browser opens as a page. Everything works without this.
(() => {
  "use strict";

  function fill(event) {
    const link = event.target.closest("#ask .examples a");
    if (link) document.getElementById("question").value = link.textContent;
  }

  function fetched(event) {
    const own = event.target.closest("#ask") && !event.target.closest("form[method=post]");
    if (own) location.assign(event.detail.pathInfo.finalRequestPath);
  }

  document.addEventListener("click", fill);
  document.addEventListener("htmx:responseError", fetched);
  document.addEventListener("htmx:sendError", fetched);
})();
