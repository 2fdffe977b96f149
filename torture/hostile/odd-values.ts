// Values at the edges of what JSON, JavaScript, PostgreSQL and HTTP can say.

import { HOSTILE_TEXTS } from "../../test/hostile-texts.ts";
import type { Random } from "../random.ts";

/** As they stand in JSON; some of them are no JSON at all. */
export const ODD_NUMBERS: readonly string[] = [
  ...["1e400", "-1e400", "1e-400", "-0", "0", "-1", "1e-7", "4.9e-324", "1.7976931348623157e308"],
  ...["9007199254740991", "9007199254740992", "9007199254740993", "123456789012345678"],
  ...["999999999999999999", "9223372036854775807", "9223372036854775808", "18446744073709551616"],
  ...["92233720368547758.07", "92233720368547758.08", "1e15", "1e16", "1e18", "1e20", "1e21"],
  ...["2147483647", "2147483648", "-2147483649", "4294967296", "1e12", "1000000000000.01"],
  ...["100.005", "99.999", "0.30000000000000004", "100.0000000000000000001", "1E2", "1.0", "0.1e4"],
  ...["NaN", "Infinity", "01", "+1", "1.", ".5", "0x10", "1_000", "1e", "--1"],
];

const BROKEN_TEXTS = [
  ...["\ud800", "\udc00", "a\udfff\ud800b", "\0", "a\0b", "\u0001\u001f\u007f", "\ufffe\uffff"],
];

/** The same to an eye, and not to a comparison. */
const NORMALISED_TEXTS = ["é", "e\u0301", "\u212b", "ﬁ", "İ", "ß", "ſ", "K", "１００", "٣٤", "१"];

const LONG_TEXTS = [
  ...["x".repeat(256), "x".repeat(2_049), "я".repeat(4_097), "😀".repeat(9_000)],
  ...["x".repeat(60_000), " ".repeat(5_000), `${"a".repeat(3_000)}!`, "0".repeat(400)],
];

/** What a language, a database or a shell takes for more than a text. */
const MEANT_TEXTS = [
  ...["null", "undefined", "NaN", "true", "[object Object]", "0", "-0", "1e3", "0x10", " 1 "],
  ...["'", '"', "\\", "\\u0000", "'; drop table invoices; --", "1 or 1=1", "$1", "$$", "{1,2}"],
  ...["%s%n", "%00", "%", "../../../etc/passwd", "`id`", "$(id)", "a\r\nx-injected: 1", "{", "[]"],
  ...["infinity", "-infinity", "epoch", "now", "today", "2026-02-30", "0001-01-01", "0000-00-00"],
  ...["9999-12-31T23:59:59Z", "2026-01-01T00:00:00+99:99", "1969-12-31", "275760-09-13"],
  ...["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
  ...["{00000000-0000-4000-8000-000000000002}", "00000000000040008000000000000002"],
  ...["1        2", "4 1 1 1 - 1 1 1 1", "4111111111111111".repeat(9), "+7 (999) 000-00-01"],
  ...["RUB", "rub", "XXX", "p2p_card", "P2P_CARD", "__proto__", "constructor", "toString"],
  // Addresses of this machine only: whatever is taken for a receiver may be asked.
  ...["http://127.0.0.1:1/", "http://user:pw@127.0.0.1/", "http://[::1]:1/", "javascript:alert(1)"],
  ...["http://127.0.0.1:99999/", "http://", "//127.0.0.1", "https://127.0.0.1:1/\u202e", "a@b.c"],
];

/** Each kind is as likely as any other, however few there are of it. */
const ODD_TEXTS = [BROKEN_TEXTS, NORMALISED_TEXTS, LONG_TEXTS, MEANT_TEXTS, HOSTILE_TEXTS];

export const oddText = (random: Random): string => random.pick(random.pick(ODD_TEXTS));

export const PROTOTYPE_NAMES: readonly string[] = [
  ...["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"],
  ...["__defineGetter__", "then", "toJSON", "length"],
];

export const ODD_METHODS: readonly string[] = [
  ...["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "PURGE", "SEARCH", "QUERY"],
  ...["GET", "POST", "get", "BREW", "POST\u00a0", "G\tET"],
];

export const ODD_CONTENT_TYPES: readonly string[] = [
  ...["text/plain", "text/json", "application/x-www-form-urlencoded", "application/jsonx"],
  ...["multipart/form-data; boundary=x", "multipart/form-data", "application/xml", "json", "*/*"],
  ...["application/vnd.api+json", "application/octet-stream", "application/json; charset=utf-16"],
  ...["application/json; charset=\u00ff", "application/json;", ";", ",", "Application/JSON"],
  ...["application/json, text/plain", `application/json; ${"a=b; ".repeat(1_000)}`, "a/b/c"],
];

/** Name and value; each may come beside what a request has already. */
export const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ["accept-language", "ru;q=".repeat(1_500)],
  ["accept-language", `${"a-".repeat(3_000)}a`],
  ["accept-language", ",;=*q\u00ff"],
  ["accept", "*/*;q=x, text/html;level=1, application/json"],
  ["accept", "text/html"],
  ["accept-encoding", "gzip, br;q=0, *;q=-1"],
  ["content-encoding", "gzip"],
  ["content-type", "text/plain"],
  ["cookie", `${"a=b; ".repeat(2_000)}`],
  ["host", "evil.example:99999"],
  ["host", ""],
  ["origin", "null"],
  ["range", "bytes=0-0,-1,5-2"],
  ["if-none-match", "*"],
  ["if-modified-since", "Thu, 99 Foo 9999 99:99:99 GMT"],
  ["sec-fetch-site", "cross-site"],
  ["user-agent", "\u00ff\u0080".repeat(400)],
  ["user-agent", ""],
  ["x-forwarded-for", "::1, 999.999.999.999, <script>"],
  ["x-forwarded-proto", "https,http"],
  ["x-http-method-override", "DELETE"],
  ["x-original-url", "/manage/me"],
  ["x-request-id", "x".repeat(7_000)],
  ["te", "trailers"],
  ["trailer", "content-length"],
  ["via", "1.1 a, ".repeat(500)],
  ["__proto__", "x"],
  ["constructor", "x"],
];
