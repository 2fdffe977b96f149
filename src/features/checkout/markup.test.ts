// Amounts, moments and phones as each language writes them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { cardNumber, moment, money, phone, shortNumber } from "./markup.ts";

const AT = new Date("2026-11-15T17:58:59.999Z");

it("amounts", () => {
  for (const [minor, en, ru] of [
    [1n, "0.01", "0,01"],
    [99_999n, "999.99", "999,99"],
    [149_000n, "1,490.00", "1 490,00"],
    [123_456_789_012n, "1,234,567,890.12", "1 234 567 890,12"],
  ] as const) {
    assert.equal(money(minor, "RUB", "en"), `${en}\u00a0₽`);
    assert.equal(money(minor, "RUB", "ru"), `${ru.replaceAll(" ", "\u00a0")}\u00a0₽`);
  }
  assert.equal(money(100n, "UZS", "en"), "1.00\u00a0UZS");
});

it("moments, in the service's zone by its name or its distance from UTC", () => {
  const plain = (zone: string, language: "en" | "ru" = "en") =>
    moment(AT, zone, language).replaceAll("\u00a0", " ");
  assert.equal(plain("Europe/Moscow"), "15 November, 20:58 (MSK)");
  assert.equal(plain("Europe/Moscow", "ru"), "15 ноября, 20:58 (МСК)");
  for (const [zone, text] of [
    ["UTC", "15 November, 17:58 (UTC)"],
    ["Asia/Yekaterinburg", "15 November, 22:58 (UTC+5)"],
    ["Asia/Kolkata", "15 November, 23:28 (UTC+5:30)"],
    ["America/St_Johns", "15 November, 14:28 (UTC-3:30)"],
    ["Asia/Vladivostok", "16 November, 03:58 (UTC+10)"],
  ] as const) {
    assert.equal(plain(zone), text);
  }
});

it("numbers that a person reads aloud", () => {
  assert.equal(phone("+79990000001").replaceAll("\u00a0", " "), "+7 999 000-00-01");
  assert.equal(phone("+998901234567"), "+998901234567");
  assert.equal(cardNumber("2202200000000007"), "2202 2000 0000 0007");
  assert.equal(cardNumber("2202200000000007123"), "2202 2000 0000 0007 123");
  assert.equal(shortNumber("019cf0b9-4680-7000-b531-bf8a05cb07c4"), "05cb07c4");
});
