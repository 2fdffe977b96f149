// The part of the script that asks a device for a passkey: where a form wants one, its answer goes into the
// form's field. Guards that a refusal of the device is said in words and leaves the form as it is, and that a form
// whose passkey is on its way is not sent again while an answer may come: its question can be answered once.

/** Stands in the script's own function and uses what is declared there. */
export const PASSKEYS = `
  const credentials = navigator.credentials;
  let isSent = false;
  // Who comes back to the page as it was left may send it again.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) isSent = false; });
  const prove = async (form, more) => {
    if (isSent) return;
    const { passkey, options } = form.dataset;
    const wanted = JSON.parse(options);
    const made = passkey === "create"
      ? await credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(wanted) })
      : await credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(wanted), ...more });
    if (!made || isSent) return;
    isSent = true;
    // Who stopped the page from being left can go on without loading it anew.
    setTimeout(() => { isSent = false; }, PATIENCE);
    form.elements.credential.value = JSON.stringify(made.toJSON());
    form.submit();
  };
  for (const form of all("form[data-passkey]")) {
    const waits = new AbortController();
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      waits.abort();
      try {
        await prove(form);
      } catch {
        const text = say("The passkey was not used. Try again, or sign in another way.",
          "Ключ доступа не использован. Попробуйте ещё раз или войдите иначе.");
        let place = one("[data-trouble]", form);
        if (!place) {
          place = document.createElement("p");
          place.className = "problem";
          place.dataset.trouble = "";
          form.append(place);
        }
        place.textContent = text;
        tell(text);
      }
    });
    if ("conditional" in form.dataset && window.PublicKeyCredential && PublicKeyCredential.isConditionalMediationAvailable) {
      PublicKeyCredential.isConditionalMediationAvailable()
        .then((can) => can && prove(form, { mediation: "conditional", signal: waits.signal }))
        .catch(() => {});
    }
  }
`;
