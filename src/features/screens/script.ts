// The one script of the desk and the cabinet. Everything but passkeys works without it; with it pages change
// by themselves, keys work, things are copied with a click. Guards that nothing moves under
// a hand: lists say how many are new, and no page is changed while somebody writes in it; and that an open
// page never hurries a server that is in trouble.

/** Stands in the script's own function and uses what is declared there. */
const PASSKEYS = `
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

/** Stands in the script's own function and uses what is declared there. */
const SENDING = `
  // After that long no answer comes any more, or it was a file and the page has stayed.
  const PATIENCE = 20000;
  const sending = new Set();
  document.addEventListener("submit", (event) => {
    isChanged = false;
    const { target: form, defaultPrevented } = event;
    // A passkey's form goes by itself, once the device has answered.
    if (defaultPrevented || form.getAttribute("method") !== "post") return;
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

export const SCRIPT = `"use strict";
(() => {
  const one = (query, from = document) => from.querySelector(query);
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const site = one("[data-root]");
  if (!site) return;
  const { root, keys, now, of } = site.dataset;
  const skew = now ? Date.parse(now) - Date.now() : 0;
  const isRussian = document.documentElement.lang === "ru";
  const say = (en, ru) => isRussian ? ru : en;
  let hushing;
  const tell = (text) => { clearTimeout(hushing); const place = one("[data-said]"); if (place) place.textContent = text; };

  // Moments that stand near are told by their distance; what is a day away, in full.
  const MINUTE = 60000;
  const freshen = () => {
    for (const time of all("time[data-ago]")) {
      const away = Date.parse(time.dateTime) - Date.now() - skew;
      const span = Math.abs(away);
      let text = away > 0 ? say("in a moment", "вот-вот") : say("just now", "только что");
      if (span >= 1440 * MINUTE) {
        text = time.title;
        time.removeAttribute("data-ago");
      } else if (span >= MINUTE) {
        const isHours = span >= 60 * MINUTE;
        const length = Math.floor(span / (isHours ? 60 * MINUTE : MINUTE)) + "\\u00a0" +
          (isHours ? say("h", "ч") : say("min", "мин"));
        text = away > 0 ? say("in ", "через ") + length : length + say(" ago", " назад");
      }
      if (time.textContent !== text) time.textContent = text;
    }
  };
  setInterval(freshen, 15000);

  const copy = async (button) => {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      (button.closest("dialog") || document.body).append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      button.focus();
    }
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1500);
    tell(say("Copied", "Скопировано"));
    // Whatever is said meanwhile stays.
    hushing = setTimeout(tell, 1500, "");
  };

  // What stands in the page anew is made ready anew.
  const begin = (part) => {
    for (const button of all("[data-copy]", part)) {
      button.hidden = false;
      button.title = say("Copy", "Копировать");
      button.setAttribute("aria-label", button.title + ": " + button.dataset.label);
    }
    for (const button of all("[data-opens]", part)) button.hidden = false;
    freshen();
  };

  let isChanged = false;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy],[data-opens],[data-new]");
    if (!button) return;
    if ("copy" in button.dataset) copy(button);
    else if ("opens" in button.dataset) open(button.dataset.opens);
    else location.reload();
  });
  document.addEventListener("input", (event) => {
    if (event.target.closest("form[data-warn]")) isChanged = true;
  });
  addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });
  ${SENDING}
  const open = (id) => {
    const dialog = document.getElementById(id);
    if (dialog && !dialog.open) dialog.showModal();
    return dialog;
  };

  const PLACES = { h: "", i: "/invoices", t: "/transfers", r: "/requisites", p: "/payouts", e: "/events", m: "/merchants" };
  const isSeen = (element) => element.getClientRects().length > 0;
  const seek = () => {
    const fields = all(".find input");
    // On a narrow screen the field stands in the menu.
    if (!fields.some(isSeen)) for (const menu of all(".menu")) menu.open = true;
    const field = fields.find(isSeen);
    if (field) field.select();
    return field;
  };
  const press = (query) => {
    const found = all(query).find(isSeen);
    // What cannot be undone takes Enter as well: a key that was held too long would be two acts.
    if (found) found.matches(".danger") ? found.focus() : found.click();
    return found;
  };
  const rowOf = () => document.activeElement.closest("tbody tr");
  const walk = (step) => {
    const rows = all("main .rows tbody tr");
    const at = rows.indexOf(rowOf());
    const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step];
    const stop = next && one("a,button:not([hidden]),input", next);
    if (stop) stop.focus();
    if (next) next.scrollIntoView({ block: "nearest" });
  };
  const inRow = (query) => rowOf() && one(query, rowOf());
  const bench = (key) => {
    const place = one("[data-bench]");
    if (!place) return false;
    const choice = /[1-9]/.test(key) && all("input[type=radio]", place)[key - 1];
    if (choice) choice.click();
    return choice || ("adrs".includes(key) && press("[data-bench] [data-act=" + key + "]"));
  };
  const ACTS = {
    "/": () => seek(),
    "?": () => open("keys"),
    j: () => walk(1),
    k: () => walk(-1),
    x: () => { const box = inRow("input[type=checkbox]"); if (box) box.click(); },
    c: () => { const button = inRow("[data-copy]") || one("main [data-copy]"); if (button) copy(button); },
    "[": () => press("main a[rel=prev]"),
    "]": () => press("main a[rel=next]"),
  };
  let isGoing = false;
  addEventListener("keydown", (event) => {
    const { key } = event;
    if ((event.metaKey || event.ctrlKey) && key.toLowerCase() === "k") {
      if (seek()) event.preventDefault();
      return;
    }
    if (keys !== "on" || event.metaKey || event.ctrlKey || event.altKey || one("dialog[open]")) return;
    if (event.target.closest("input:not([type=radio],[type=checkbox]),textarea,select,[contenteditable]")) return;
    const wasGoing = isGoing;
    isGoing = key === "g" && !wasGoing;
    if (isGoing) {
      setTimeout(() => { isGoing = false; }, 1500);
      return;
    }
    if (wasGoing) {
      if (Object.hasOwn(PLACES, key)) press('nav a[href="' + root + PLACES[key] + '"]');
    } else if (key.length === 1 && bench(key)) event.preventDefault();
    else if (Object.hasOwn(ACTS, key)) {
      event.preventDefault();
      ACTS[key]();
    } else if (key === "Enter" && event.target.matches("tr[data-href] :not(a,button,input)")) {
      location.assign(rowOf().dataset.href);
    }
  });
  // A row leads where its link does, wherever on it one clicks.
  document.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-href]");
    if (!row || event.target.closest("a,button,input,label,summary") || String(getSelection())) return;
    if (event.metaKey || event.ctrlKey) window.open(row.dataset.href, "_blank", "noopener");
    else location.assign(row.dataset.href);
  });

  // Live. What has the focus has it afterwards, and what is open stays open.
  const main = one("main");
  const { live, liveMode } = main ? main.dataset : {};
  const nameOf = (element) => {
    for (const name of ["id", "data-copy", "href"]) {
      const value = element.getAttribute(name);
      if (value) return "[" + name + '="' + CSS.escape(value) + '"]';
    }
  };
  const isBusy = () => isChanged || one("dialog[open]") || (main.contains(document.activeElement) &&
    document.activeElement.matches("input,textarea,select"));
  const show = (fresh) => {
    const focused = main.contains(document.activeElement) && nameOf(document.activeElement);
    const opened = all("details", main).map((part) => part.open);
    const before = (one("[data-say]", main) || {}).textContent;
    main.replaceChildren(...fresh.childNodes);
    all("details", main).forEach((part, at) => { if (opened[at]) part.open = true; });
    begin(main);
    const again = focused && one(focused, main);
    if (again) again.focus({ preventScroll: true });
    const after = (one("[data-say]", main) || {}).textContent;
    if (after && after !== before) tell(after);
  };
  let isLoading = false;
  let isOld = false;
  const refresh = async () => {
    isOld = true;
    if (isLoading || isBusy()) return;
    isLoading = true;
    isOld = false;
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = one("main", page);
      if (!answer.ok || answer.redirected || !fresh) isOld = answer.status >= 500;
      // Another person or merchant since, in another tab: their figures would stand under this one's name.
      else if (one(".frame", page).dataset.of !== of) location.reload();
      else if (isBusy()) isOld = true;
      else show(fresh);
    } catch {
      isOld = true;
    }
    setTimeout(() => {
      isLoading = false;
      if (isOld && !document.hidden) refresh();
    }, isOld ? 5000 : 1000);
  };
  document.addEventListener("focusout", () => setTimeout(() => { if (isOld) refresh(); }, 300));
  let count = 0;
  const change = (event) => {
    if (liveMode !== "list") return refresh();
    count += Number(event.data) || 1;
    const button = one("[data-new]");
    if (!button) return;
    button.hidden = false;
    button.textContent = say(count + " new", "Новых: " + count);
    tell(button.textContent);
  };
  let source;
  let pause = 2000;
  let waiting;
  const listen = () => {
    clearTimeout(waiting);
    if (source || document.hidden) return;
    source = new EventSource(live);
    source.addEventListener("change", change);
    source.onopen = () => { pause = 2000; };
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      source = undefined;
      waiting = setTimeout(listen, pause * (1 + Math.random() / 5));
      pause = Math.min(pause * 2, 60000);
    };
  };
  if (live) {
    listen();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) {
        if (source) source.close();
        source = undefined;
        return;
      }
      listen();
      if (liveMode !== "list") refresh();
    });
  }

  ${PASSKEYS}
  begin(document);
})();
`
  // What only a reader of this file needs is not sent to everybody.
  .replaceAll(/^\s*\/\/.*\n|^\s+/gm, "");
