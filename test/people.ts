// People in a browser that has no screen: cookies are kept, forms are sent as a browser sends them.

import assert from "node:assert/strict";
import { totpCode } from "../src/platform/totp.ts";
import { type Bend, softwareAuthenticator } from "./authenticator.ts";
import type { TestGateway } from "./gateway.ts";
import type { Manage } from "./manage.ts";

type Form = Record<string, string | readonly string[]>;

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it leads; empty where it does not. */
  readonly location: string;
}

export type Visitor = ReturnType<typeof visitor>;

/** What is sent with every request stands second: an address, a browser's name. */
export function visitor({ url }: Pick<TestGateway, "url">, always: Record<string, string> = {}) {
  const jar = new Map<string, string>();
  const send = async (path: string, init: RequestInit = {}): Promise<Seen> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url + path, {
      redirect: "manual",
      ...init,
      headers: {
        accept: "text/html",
        "sec-fetch-site": "same-origin",
        cookie,
        ...always,
        ...init.headers,
      },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    const { status, headers } = answer;
    const location = headers.get("location") ?? "";
    return { status, headers, text: await answer.text(), location };
  };
  const post = (path: string, form: Form = {}, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(form)) {
      for (const one of [value].flat()) body.append(name, one);
    }
    return send(path, { method: "POST", body, headers });
  };
  return {
    jar,
    send,
    post,
    get: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    /** A page that is there. */
    async open(path: string): Promise<string> {
      const { status, text, location } = await send(path);
      assert.equal(status, 200, `${path}: ${status} ${location} ${wordsIn(text).slice(0, 500)}`);
      return text;
    },
    /** Fills in the form of a page as it stands there, with hidden fields, and sends it. */
    async fill(page: string, action: string, form: Form = {}): Promise<Seen> {
      const text = await this.open(page);
      return post(action, { ...hiddenIn(text, action), ...form });
    },
  };
}

/** Anna runs the sandbox: an operator at the desk, and an owner in the cabinet. */
export async function anna(gateway: Pick<TestGateway, "url">): Promise<Visitor> {
  const visit = visitor(gateway);
  const { status } = await visit.post("/sign-in/sandbox", { then: "/desk" });
  assert.equal(status, 303);
  return visit;
}

interface Invitation {
  readonly person: { readonly person_id: string };
  readonly link: string;
}

/** A person of the desk who has a link and no way in yet. */
export function invite(own: Manage, email: string, role = "operator"): Promise<Invitation> {
  const name = email.split("@")[0];
  return own.post("people", { email, name, language: "en", desk_role: role });
}

export const PASSWORD = "a long walk by the river";

/** What somebody has who comes by a link: a browser, the app's key, the codes on paper. */
export async function joinByPassword(visit: Visitor, { clock }: Clocked, link: string) {
  const path = new URL(link).pathname;
  const text = await visit.open(path);
  const secret = /<code>((?:[A-Z2-7]{4} ?){8})<\/code>/.exec(text)?.[1]?.replaceAll(" ", "") ?? "";
  const action = `${path}/password`;
  const code = totpCode(secret, clock.now());
  const seen = await visit.post(action, { ...hiddenIn(text, action), password: PASSWORD, code });
  assert.equal(seen.status, 200, wordsIn(seen.text));
  return {
    secret,
    text: seen.text,
    codes: codesIn(seen.text),
    code: () => totpCode(secret, clock.now()),
  };
}

/** The same with a passkey, which is given back. */
export async function joinByPasskey(visit: Visitor, origin: string, link: string) {
  const path = new URL(link).pathname;
  const action = `${path}/passkey`;
  const text = await visit.open(path);
  const device = softwareAuthenticator({ origin });
  const credential = device.create(optionsIn(text, action) as never);
  const seen = await visit.post(action, { ...hiddenIn(text, action), credential });
  assert.equal(seen.status, 200, wordsIn(seen.text));
  return { device, codes: codesIn(seen.text) };
}

type Clocked = { readonly clock: Pick<TestGateway["clock"], "now"> };
type Device = ReturnType<typeof softwareAuthenticator>;

/** Signs in, or proves anew, with a passkey: what the page asks is what it signs. */
export async function usePasskey(visit: Visitor, device: Device, page = "/sign-in", bend?: Bend) {
  const action = `${page.split("?")[0]}/passkey`;
  const text = await visit.open(page);
  const credential = device.get(optionsIn(text, action) as never, bend);
  return visit.post(action, { ...hiddenIn(text, action), credential });
}

export function codesIn(text: string): string[] {
  return text.match(/[0-9A-Z]{4}(?:-[0-9A-Z]{4}){5}/g) ?? [];
}

/** What a button of a passkey asks the browser for. */
export function optionsIn(text: string, action: string): unknown {
  const options = /data-options="([^"]*)"/.exec(formIn(text, action))?.[1] ?? "null";
  return JSON.parse(unescaped(options));
}

function formIn(text: string, action: string): string {
  const forms = text.match(/<form\b.*?<\/form>/gs) ?? [];
  return forms.find((one) => one.includes(`action="${action}"`)) ?? "";
}

/** The hidden fields of the form that is sent there. */
export function hiddenIn(text: string, action: string): Record<string, string> {
  const inputs = formIn(text, action).match(/<input type="hidden"[^>]*>/g) ?? [];
  const pairs = inputs.map((input) => [
    /name="([^"]*)"/.exec(input)?.[1] ?? "",
    unescaped(/value="([^"]*)"/.exec(input)?.[1] ?? ""),
  ]);
  return Object.fromEntries(pairs);
}

/** All that a browser would send of it as it stands there. */
export function fieldsIn(text: string, action: string): Record<string, string[]> {
  const whole = formIn(text, action);
  const fields = new Map<string, string[]>();
  const add = (name: string, value: string): void => {
    fields.set(name, [...(fields.get(name) ?? []), unescaped(value)]);
  };
  const has = (tag: string, name: string): string =>
    new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  for (const [tag] of whole.matchAll(/<input\b[^>]*>/g)) {
    const isBox = has(tag, "type") === "checkbox";
    if (has(tag, "type") !== "file" && (!isBox || / checked\b/.test(tag)))
      add(has(tag, "name"), has(tag, "value"));
  }
  for (const [, head = "", body = ""] of whole.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)) {
    const options = body.match(/<option\b[^>]*>/g) ?? [];
    const chosen = options.find((one) => / selected\b/.test(one)) ?? options[0] ?? "";
    add(has(head, "name"), has(chosen, "value"));
  }
  for (const [, head = "", body = ""] of whole.matchAll(
    /<textarea\b([^>]*)>\n?(.*?)<\/textarea>/gs,
  )) {
    add(has(head, "name"), body);
  }
  return Object.fromEntries(fields);
}

/** Where a link of the page leads that goes there and says this. */
export function linkIn(text: string, path: string, says: string): string {
  const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(([, href = ""]) => unescaped(href));
  return links.find((href) => href.startsWith(`${path}?`) && href.includes(says)) ?? "";
}

/** What attributes hold. */
export function unescaped(text: string): string {
  const entities: Record<string, string> = { quot: '"', "#39": "'", lt: "<", gt: ">", amp: "&" };
  return text.replace(/&(quot|#39|lt|gt|amp);/g, (_, name: string) => entities[name] ?? "");
}

/** Its words, without its tags. */
export function wordsIn(text: string): string {
  const main = /<main\b.*<\/main>/s.exec(text)?.[0] ?? text;
  return unescaped(main.replace(/<[^>]+>/g, " ").replace(/\s+/g, " "));
}

/** What Anna is at the desk from now on. */
export async function setAnnasRole(own: Manage, desk_role: string): Promise<void> {
  const { items } = await own.get("people");
  const found = items.find((one: { name: string }) => one.name === "Anna");
  await own.post(`people/${found.person_id}`, { desk_role });
}
