// Takes a proof from the page, has verify.js check it, and says what came of it.
"use strict";

(function () {
  const at = (id) => document.getElementById(id);
  let chosen = null; // the text of a file: a text field would change its line end

  function tell(holds, text) {
    at("outcome").dataset.holds = String(holds);
    at("outcome").textContent = text;
  }

  at("file").addEventListener("change", async () => {
    const [file] = at("file").files;
    chosen = file ? await file.text() : null;
    at("proof").value = chosen || "";
  });
  at("proof").addEventListener("input", () => { chosen = null; });

  at("verify").addEventListener("click", () => {
    // What was pasted may have lost the one line end of a proof, or gained some.
    const text = chosen === null ? at("proof").value.trim() + "\n" : chosen;
    try {
      tell(true, macaoVerify.verify(text, at("commitment").value.trim()));
    } catch (error) {
      tell(false, `The proof does not hold: ${error.message}`);
    }
  });
})();
