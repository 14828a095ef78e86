// Light or dark: as the system says, or as was chosen here. Runs before anything is painted, hence no module.
(() => {
  const KEY = "scova-theme";
  const NEXT = { auto: "light", light: "dark", dark: "auto" };
  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage may be switched off: the choice then lasts as long as the page
    }
  };
  const root = document.documentElement;
  const set = (theme) => {
    root.dataset.theme = theme;
  };
  set(NEXT[stored()] ? stored() : "auto");
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const say = () => {
      button.querySelector(".theme-name").textContent = root.dataset.theme;
    };
    say();
    button.addEventListener("click", () => {
      set(NEXT[root.dataset.theme]);
      try {
        localStorage.setItem(KEY, root.dataset.theme);
      } catch {
        // as above
      }
      say();
    });
  });
})();
