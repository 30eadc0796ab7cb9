// Makes the filters beside the results smoother: what was unfolded stays so when htmx brings new results, long lists get
// a box to find a value in, and what htmx cannot fetch the browser opens as a page. Everything works without this.
(() => {
  "use strict";

  let unfolded = [];
  let looked = "";

  const folds = () => document.querySelectorAll("#found details[id]");

  function remember() {
    unfolded = [...folds()].filter((one) => one.open).map((one) => one.id);
  }

  function restore() {
    // A list of near-duplicates belongs to a result that may be another one now.
    for (const one of folds()) {
      if (unfolded.includes(one.id) && !one.classList.contains("alike")) one.open = true;
    }
    boxes();
  }

  function boxes() {
    for (const list of document.querySelectorAll("[data-find]")) {
      if (list.querySelector(".find")) continue;
      const box = document.createElement("input");
      box.type = "search";
      box.className = "find";
      box.id = "find-" + list.querySelector("input").name;
      box.value = looked;
      box.placeholder = list.dataset.find;
      box.setAttribute("aria-label", list.dataset.find);
      box.addEventListener("input", () => find(list, (looked = box.value)));
      // It is no field of the form: neither a change nor Enter in it is a search.
      box.addEventListener("change", (event) => event.stopPropagation());
      box.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
      list.querySelector("legend").after(box);
      if (looked) find(list, looked);
    }
  }

  function find(list, words) {
    const wanted = words.trim().toLowerCase();
    const fits = (one) => one.textContent.toLowerCase().includes(wanted);
    for (const one of list.querySelectorAll(".tick, li, fieldset, details")) {
      one.hidden = wanted !== "" && !fits(one);
      // What is chosen must not be out of sight when nothing is looked for any more.
      if (one.matches("details")) one.open = wanted ? !one.hidden : one.querySelector(":checked") !== null;
    }
    // Under a value that fits by its own name, all that belongs to it stays to be seen.
    for (const row of list.querySelectorAll("li")) {
      if (fits(row.querySelector(".tick"))) row.querySelectorAll(".tick, fieldset").forEach((one) => (one.hidden = false));
    }
  }

  function fetched(event) {
    if (event.target.closest("#narrow")) location.assign(event.detail.pathInfo.finalRequestPath);
  }

  document.addEventListener("htmx:beforeSwap", remember);
  document.addEventListener("htmx:afterSettle", restore);
  document.addEventListener("htmx:responseError", fetched);
  document.addEventListener("htmx:sendError", fetched);
  boxes();
})();
