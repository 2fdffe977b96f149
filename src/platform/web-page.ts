// A page for people: where it is, and what a visit to it shows. Guards that no page runs a script, loads
// an image or sends a form to anywhere that its own policy does not name.

import { createHash } from "node:crypto";
import type { App } from "./app.ts";
import type { Language } from "./failure.ts";
import { Html, html } from "./html.ts";

export interface Visit {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** What a form sent; empty for a GET. */
  readonly form: Readonly<Record<string, string>>;
  readonly language: Language;
  /** Whether a program asks, and no browser. */
  readonly wantsJson: boolean;
  readonly address: string;
  readonly userAgent: string;
}

/** A whole document; the platform adds head, policy and cache rules. */
export interface Document {
  readonly kind: "document";
  readonly status: number;
  readonly language: Language;
  readonly title: string;
  readonly style: string;
  readonly body: Html;
  /** The path of its one script. */
  readonly script?: string;
  /** What stands in the head for browsers without script. */
  readonly refreshSeconds?: number;
  /** After which every browser loads it again, script or not. */
  readonly reloadSeconds?: number;
  /** Where its one foreign image comes from. */
  readonly imageOrigin?: string;
}

export type PageAnswer =
  | Document
  | { readonly kind: "redirect"; readonly to: string }
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
  /** Lines of server-sent events; the room calls `send` until the visitor or the server leaves. */
  | { readonly kind: "stream"; open(send: (event: string) => void): () => void };

export interface WebPage {
  readonly method: "GET" | "POST";
  readonly path: string;
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
${new Html(`<style>${page.style}</style>`)}${
  page.script !== undefined && html`<script src="${page.script}" defer></script>`
}
</head><body>${page.body}</body></html>
`.text;
}

export function policyOf({ style, script, imageOrigin }: Document): string {
  const digest = createHash("sha256").update(style).digest("base64");
  return [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    ...(script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    `img-src 'self'${imageOrigin === undefined ? "" : ` ${imageOrigin}`}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
