// A page for people: its visit, its answer, and its content security policy.

import { createHash } from "node:crypto";
import type { App } from "./app.ts";
import type { Texts } from "./ask.ts";
import type { FormFile } from "./body.ts";
import type { Language } from "./failure.ts";
import { Html, html } from "./html.ts";

export interface Visit {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** All that came, of the query or of the form: several texts for what was sent several times. */
  readonly sent: Texts;
  readonly files: Readonly<Record<string, FormFile>>;
  /** The path with its query, as it was asked for. */
  readonly url: string;
  readonly host: string;
  readonly cookies: Readonly<Record<string, string>>;
  readonly language: Language;
  /** Whether a program asks, and no browser. */
  readonly wantsJson: boolean;
  /** Whether the script of an open page asks, as a browser says: perhaps nobody sits there. */
  readonly isByScript: boolean;
  readonly address: string;
  readonly userAgent: string;
}

/** A whole document; the platform adds head, policy and cache rules. */
export interface Document {
  readonly kind: "document";
  readonly status: number;
  readonly language: Language;
  readonly title: string;
  /** What stands in the document itself, or the path of its style sheet. */
  readonly style: string | { readonly href: string };
  readonly body: Html;
  readonly script?: string;
  readonly cookies?: readonly string[];
  /** What stands in the head for browsers without script. */
  readonly refreshSeconds?: number;
  /** After which every browser loads it again, script or not. */
  readonly reloadSeconds?: number;
  readonly imageOrigin?: string;
}

export type PageAnswer =
  | Document
  | { readonly kind: "redirect"; readonly to: string; readonly cookies?: readonly string[] }
  /** A table of this moment, page after page as it is read. */
  | {
      readonly kind: "rows";
      readonly name: string;
      /** Its name with letters of any kind, where it has one. */
      readonly fullName?: string;
      readonly parts: AsyncIterable<string>;
      /** Called once the file is sent, or its reader has left. */
      end?(): void;
    }
  /** A file that never changes under its address. */
  | { readonly kind: "file"; readonly type: string; readonly text: string }
  /** A file of this moment, to be kept by whoever asks for it. */
  | {
      readonly kind: "download";
      readonly name: string;
      readonly type: string;
      readonly bytes: Uint8Array;
    }
  /** A few bytes for the page's own script, of this moment. */
  | { readonly kind: "text"; readonly text: string }
  /** Lines of server-sent events; the room calls `send` until the visitor or the server leaves, or it ends it. */
  | {
      readonly kind: "stream";
      open(send: (event: string) => void, end: () => void): () => void;
    };

export interface WebPage {
  readonly method: "GET" | "POST";
  readonly path: string;
  /**
   * For people who have signed in. It answers on its own host, and a form is taken only from there: whoever
   * brings a cookie is a browser, and a browser says where a form stands.
   */
  readonly site?: "desk" | "cabinet" | "people";
  /** The largest form that it takes, where the usual one does not hold it: then who sends it is asked first. */
  readonly maxBodyBytes?: number;
  admits?(app: App, visit: Visit): Promise<void>;
  answer(app: App, visit: Visit): Promise<PageAnswer>;
}

export function webPage(definition: WebPage): WebPage {
  return definition;
}

export function documentText(page: Document): string {
  return html`<!doctype html>
<html lang="${page.language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<link rel="icon" href="/icon.svg" type="image/svg+xml"><title>${page.title}</title>${
    page.refreshSeconds !== undefined &&
    html`<noscript><meta http-equiv="refresh" content="${page.refreshSeconds}"></noscript>`
  }
${styleOf(page)}${page.script !== undefined && html`<script src="${page.script}" defer></script>`}
</head><body>${page.body}</body></html>
`.text;
}

function styleOf({ style }: Document): Html {
  if (typeof style !== "string") return html`<link rel="stylesheet" href="${style.href}">`;
  return new Html(`<style>${style}</style>`);
}

export function policyOf({ style, script, imageOrigin }: Document): string {
  const digest = (text: string): string => createHash("sha256").update(text).digest("base64");
  return [
    "default-src 'none'",
    `style-src ${typeof style === "string" ? `'sha256-${digest(style)}'` : "'self'"}`,
    ...(script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    `img-src 'self'${imageOrigin === undefined ? "" : ` ${imageOrigin}`}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
