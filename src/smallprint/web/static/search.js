// Makes the filters beside the results smoother: what was unfolded stays so when htmx brings new results, long lists get
// a box to find a value in, and what htmx cannot fetch the browser opens as a page. Everything works without this.
(() => {
  "use strict";

  let unfolded = [];
  const looked = new Map(); // what was typed into the box of each facet

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
      const key = list.querySelector("input").name;
      const box = document.createElement("input");
      box.type = "search";
      box.className = "find";
      box.id = "find-" + key;
      box.value = looked.get(key) || "";
      box.placeholder = list.dataset.find;
      box.autocomplete = "off";
      box.setAttribute("aria-label", list.dataset.find + ": " + list.querySelector("legend").textContent);
      const told = document.createElement("output");
      told.className = "note";
      told.htmlFor = box.id;
      box.addEventListener("input", () => {
        looked.set(key, box.value);
        find(list, box.value, told);
      });
      // It is no field of the form: neither a change nor Enter in it is a search.
      for (const kind of ["change", "search"]) box.addEventListener(kind, (event) => event.stopPropagation());
      box.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
      list.querySelector("legend").after(box, told);
      if (box.value) find(list, box.value, told);
    }
  }

  // Hides what does not fit: a value does by its name, or by that of the group or the value to which it belongs.
  function find(list, words, told) {
    const wanted = words.trim().toLowerCase();
    const fits = (one) => one !== null && one.textContent.toLowerCase().includes(wanted);
    const named = (tick) => fits(tick.querySelector(".name")) || fits(tick.parentElement.querySelector(":scope > legend"));
    for (const row of list.querySelectorAll("li")) {
      const [own, ...details] = row.querySelectorAll(".tick");
      const whole = fits(own.querySelector(".name"));
      for (const one of details) one.hidden = !whole && !named(one);
      row.hidden = !whole && details.every((one) => one.hidden);
      for (const group of row.querySelectorAll("fieldset")) group.hidden = !group.querySelector(".tick:not([hidden])");
      const inner = row.querySelector("details");
      if (inner) inner.open = wanted ? details.some(named) : inner.querySelector(":checked") !== null;
    }
    const more = list.querySelector(":scope > details");
    if (more) {
      more.hidden = !more.querySelector("li:not([hidden])");
      // What is chosen must not be out of sight when nothing is looked for any more.
      more.open = wanted ? !more.hidden : more.querySelector(":checked") !== null;
    }
    const count = [...list.querySelectorAll(".tick")].filter(named).length;
    told.textContent = wanted ? list.dataset.found.replace("#", count) : "";
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
