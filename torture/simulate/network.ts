// The receivers of the shops' webhooks, without a socket: each answers as its mood is, and everything
// that was sent to them is kept.

import { type Outgoing, OutgoingFailure, type PostOptions } from "../../src/platform/outgoing.ts";

export type Mood = "well" | "failing" | "refusing" | "silent" | "gone" | "hanging";

export interface Post {
  readonly eventId: string;
  readonly host: string;
  readonly sent: PostOptions;
  readonly atMs: number;
  /** The status, null where there was none; undefined while it hangs. */
  answer: number | null | undefined;
}

export interface Network {
  readonly posts: readonly Post[];
  moodOf(host: string): Mood;
  setMood(host: string, mood: Mood): void;
  /** Answers everything that hangs. */
  release(status: number): number;
  readonly outgoing: Outgoing;
}

export function openNetwork(now: () => number): Network {
  const posts: Post[] = [];
  const moods = new Map<string, Mood>();
  let hanging: ((status: number) => void)[] = [];
  const moodOf = (host: string): Mood => moods.get(host) ?? "well";

  const answer = (post: Post): Promise<number> | number | string => {
    switch (moodOf(post.host)) {
      case "well":
        return 200;
      case "failing":
        return 500;
      case "gone":
        return 410;
      case "refusing":
        return "connection refused";
      case "silent":
        return "timeout";
      case "hanging":
        return new Promise((resolve) => hanging.push(resolve));
    }
  };

  return {
    posts,
    moodOf,
    setMood: (host, mood) => void moods.set(host, mood),
    release(status) {
      const waiting = hanging;
      hanging = [];
      for (const resolve of waiting) resolve(status);
      return waiting.length;
    },
    outgoing: {
      async post(url, sent) {
        const eventId = sent.headers["webhook-id"] ?? "";
        const { host } = new URL(url);
        const post: Post = { eventId, host, sent, atMs: now(), answer: undefined };
        posts.push(post);
        const outcome = await answer(post);
        post.answer = typeof outcome === "number" ? outcome : null;
        if (typeof outcome === "string") throw new OutgoingFailure(outcome, 1);
        return { status: outcome, durationMs: 1 };
      },
      close() {},
    },
  };
}
