// Large answers, pages as well, that nobody reads. Guards that they do not fill the memory: past so much of them at once
// the one that has stood there longest is cut off, so that who reads as fast as others notices nothing.

import type { FastifyReply, onSendHookHandler } from "fastify";
import { perApp } from "./app.ts";

/** A smaller one fits into what the kernel keeps of a connection. */
const LARGE = 64 * 1024;
/** Of all connections together; the largest answers have a few of these. */
const MOST = 64 * 1024 * 1024;

function watchUnread(): onSendHookHandler {
  const unread = new Map<FastifyReply["raw"], number>();
  let sum = 0;
  return ({ raw: { socket } }, { raw }, payload, done) => {
    done(null, payload);
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    const length = isWhole ? payload.length : 0;
    if (length < LARGE || socket.destroyed) return;
    unread.set(raw, length);
    sum += length;
    raw.once("close", () => {
      unread.delete(raw);
      sum -= length;
    });
    let excess = sum - MOST;
    for (const [oldest, held] of unread) {
      if (excess <= 0 || oldest === raw) return;
      excess -= held;
      oldest.destroy();
    }
  };
}

export const unreadAnswers = perApp(watchUnread);
