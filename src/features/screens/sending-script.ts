// The part of the script that watches forms go. Guards that a form that is on its way is not sent again by a second
// click: the browser would throw away the answer to the first, and with it a secret that is shown once.

/** Stands in the script's own function and uses what is declared there. */
export const SENDING = `
  // After that long no answer comes any more, or it was a file and the page has stayed.
  const PATIENCE = 20000;
  const sending = new Set();
  document.addEventListener("submit", (event) => {
    isChanged = false;
    const { target: form, submitter, defaultPrevented } = event;
    const method = (submitter && submitter.getAttribute("formmethod")) || form.getAttribute("method");
    // A passkey's form goes by itself, once the device has answered.
    if (defaultPrevented || method !== "post") return;
    if (sending.has(form)) {
      event.preventDefault();
      return tell(say("This is on its way already", "Это уже отправляется"));
    }
    sending.add(form);
    setTimeout(() => sending.delete(form), PATIENCE);
  });
  // Who comes back to the page as it was left may send it again.
  addEventListener("pageshow", () => sending.clear());
`;
