// The payment page's one script. Everything works without it; with it the page changes by itself, time
// counts down by the server's clock, and numbers can be copied with a tap. Guards that an open page never
// hurries a server that is in trouble: what it does again by itself, it does more and more rarely.

import { createHash } from "node:crypto";
import { webPage } from "../../platform/web-page.ts";

const SCRIPT = `"use strict";
(() => {
  const find = (name) => document.querySelector("[data-" + name + "]");
  const mainOf = () => document.querySelector("main");

  // The server's time, by whichever clock of the phone says that more has passed: one is set now and then, the
  // other may stand while it sleeps. So nobody is shown more time than there is left.
  let skew = 0;
  let steady = 0;
  const setClock = (main) => {
    if (!main || !main.dataset.now) return;
    const now = Date.parse(main.dataset.now);
    skew = now - Date.now();
    steady = now - performance.now();
  };
  const serverNow = () => Math.max(Date.now() + skew, performance.now() + steady);

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  };

  // One word stands at a time, and for as long as any: an earlier one takes nothing away.
  let hush = () => {};
  let hushing;
  const begin = () => {
    for (const button of document.querySelectorAll("[data-copy]")) {
      const label = button.querySelector("span");
      const said = find("said");
      button.hidden = false;
      button.onclick = async () => {
        await copy(button.dataset.copy);
        button.focus();
        clearTimeout(hushing);
        hush();
        label.textContent = said.textContent = button.dataset.done;
        button.classList.add("done");
        hush = () => {
          label.textContent = button.dataset.label;
          said.textContent = "";
          button.classList.remove("done");
        };
        hushing = setTimeout(hush, 1500);
      };
    }
    leaveSoon(find("return"));
    tick();
  };

  const leaveSoon = (home) => {
    if (!home) return;
    const notice = find("soon");
    const count = find("count");
    notice.hidden = false;
    const timer = setInterval(() => {
      count.textContent -= 1;
      if (count.textContent > 0) return;
      clearInterval(timer);
      location.assign(home.href);
    }, 1000);
    for (const touch of ["pointerdown", "keydown"]) {
      addEventListener(touch, () => {
        clearInterval(timer);
        notice.hidden = true;
      });
    }
  };

  // A logo that cannot be had leaves nothing behind.
  const logo = document.querySelector("header img");
  if (logo) {
    logo.onerror = () => logo.remove();
    if (logo.complete && !logo.naturalWidth) logo.remove();
  }

  const tick = () => {
    const left = find("ends");
    if (!left) return;
    const seconds = Math.max(0, Math.ceil((Date.parse(left.dataset.ends) - serverNow()) / 1000));
    const text = Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
    if (left.textContent !== text) left.textContent = text;
    // Details that are over are not shown until the server can be reached, which may take days.
    const isOver = seconds === 0;
    for (const part of document.querySelectorAll("[data-due]")) part.hidden = isOver;
    for (const part of document.querySelectorAll("[data-ended]")) part.hidden = !isOver;
    if (isOver && !left.dataset.over) setTimeout(load, 1500);
    left.dataset.over = isOver ? "1" : "";
  };
  setInterval(tick, 250);

  let stop = () => {};
  const show = (fresh) => {
    const fields = document.querySelectorAll("input[maxlength]");
    const { activeElement: active } = document;
    for (const part of ["main", "footer"]) {
      document.querySelector(part).replaceWith(fresh.querySelector(part));
    }
    document.title = fresh.title;
    const title = document.querySelector("h1");
    title.tabIndex = -1;
    title.focus();
    // What somebody is writing goes on, where there is something to write still.
    for (const field of fields) {
      const next = document.querySelector("input[maxlength][name=" + field.name + "]");
      if (!next) continue;
      next.value = field.value;
      const fold = next.closest("details");
      if (fold && (field.value || field === active)) fold.open = true;
      if (field === active) next.focus();
    }
    if (!find("watch")) stop();
    begin();
  };

  // Whoever waits for ever for an answer that was lost on its way would never ask again.
  const read = async (target) => {
    const ender = new AbortController();
    const timer = setTimeout(() => ender.abort(), 30000);
    try {
      const options = { headers: { accept: "text/html" }, signal: ender.signal };
      const answer = await fetch(target, options);
      if (!answer.ok) throw answer;
      return await answer.text();
    } finally {
      clearTimeout(timer);
    }
  };

  // Never sooner than the server asks for, and pages that began together do not come back together.
  const later = (work, ms, failure) => {
    const { headers } = failure || {};
    const wanted = headers ? Number(headers.get("retry-after")) * 1000 : 0;
    return setTimeout(work, Math.max(ms, wanted || 0) * (1 + Math.random() / 5));
  };

  // Of a payer who says to have paid, the page also looks for what its standing does not tell.
  let nextLook;
  const lookAgain = ({ dataset }) => {
    clearTimeout(nextLook);
    if (dataset.again) nextLook = later(load, dataset.again * 1000);
  };

  let loading = false;
  let again = false;
  let failures = 0;
  let retry;
  const load = async () => {
    again = loading;
    if (loading) return;
    loading = true;
    clearTimeout(retry);
    try {
      const fresh = new DOMParser().parseFromString(await read(location.href), "text/html");
      const next = fresh.querySelector("main");
      setClock(next);
      if (next.dataset.standing !== mainOf().dataset.standing) show(fresh);
      lookAgain(next);
      failures = 0;
    } catch (failure) {
      retry = later(load, Math.min(2000 * 2 ** failures++, 60000), failure);
    }
    loading = false;
    if (again) load();
  };

  if (find("watch")) {
    const { watch, ask } = find("watch").dataset;
    let streaming = false;
    const source = new EventSource(watch);
    source.addEventListener("changed", load);
    source.onopen = () => { streaming = true; };
    source.onerror = () => { streaming = false; };

    // Without a stream it asks: a word of a few bytes, soon at first, ten seconds apart after a while.
    const SOON = 1200;
    let heard = new URL(watch, location.href).searchParams.get("from");
    let pause = SOON;
    let poll;
    const wait = (failure) => {
      clearTimeout(poll);
      poll = later(look, pause, failure);
    };
    const look = async () => {
      let failure;
      try {
        if (!streaming) {
          const standing = await read(ask);
          if (standing !== heard) load();
          heard = standing;
        }
        pause = Math.min(pause * 1.1, 10000);
      } catch (problem) {
        failure = problem;
        pause = Math.min(pause * 2, 60000);
      }
      if (poll) wait(failure);
    };
    wait();
    stop = () => {
      source.close();
      clearTimeout(poll);
      poll = undefined;
    };
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      load();
      pause = SOON;
      if (poll) wait();
    });
  }
  setClock(mainOf());
  lookAgain(mainOf());
  begin();
})();
`
  // What only a reader of this file needs is not sent to every phone.
  .replaceAll(/^\s*\/\/.*\n|^\s+/gm, "");

/** Its address changes with its text, so that it can be kept for ever. */
export const SCRIPT_PATH = `/pay/script-${createHash("sha256").update(SCRIPT).digest("hex").slice(0, 12)}.js`;

export const paymentScript = webPage({
  method: "GET",
  path: SCRIPT_PATH,
  async answer() {
    return { kind: "file", type: "text/javascript; charset=utf-8", text: SCRIPT };
  },
});
