// Passwords that somebody who guesses would try early: not by a list of the leaked ones, of which hardly any
// has twelve characters, but by how such ones are made. Known words, walks over the keyboard, sequences and
// years are taken away, also where letters are written as digits; what is left must still be something.

/** Words that the common passwords are built of, and what two of them are on the keyboard of the other language. */
const WORDS = `
  password passwort passwd pass parol contrasena motdepasse senha пароль gfhjkm secret секрет topsecret
  admin administrator root user login operator manager master superuser owner guest test testing demo
  default changeme change temp temporary letmein welcome access enter open private security secure
  админ администратор оператор менеджер логин доступ система тест вход директор бухгалтер
  iloveyou ilove lovely love forever together friend family mother father princess angel baby sweet
  люблю любовь тебя любимая любимый мама папа семья счастье солнышко привет ghbdtn здравствуй
  sunshine monkey dragon shadow superman batman pokemon starwars football baseball soccer hockey liverpool
  chelsea arsenal barcelona spartak zenit спартак зенит динамо цска россия москва russia moscow
  computer internet google apple samsung microsoft windows linux github facebook whatever trustno nothing
  hello goodbye thank please company office money bank business
  spring summer autumn winter monday tuesday wednesday thursday friday saturday sunday
  january february march april june july august september october november december
  весна лето осень зима понедельник вторник среда четверг пятница суббота воскресенье
  январь февраль март апрель июнь июль август сентябрь октябрь ноябрь декабрь
  correct horse battery staple qwerty йцукен qweasd asdzxc zxcasd qazwsx
  the and for not you your this that with is my me new old one two
`
  .trim()
  .split(/\s+/);

/** Walks of a finger, each also backwards; "abc…" is one in the mind. */
const WALKS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
  "01234567890",
  "qwertyuiop[]",
  "asdfghjkl;'",
  "zxcvbnm,./",
  "йцукенгшщзхъ",
  "фывапролджэ",
  "ячсмитьбю.",
  "!@#$%^&*()_+",
  '!"№;%:?*()_+',
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "1й2ц3у4к5е6н7г8ш9щ0з",
];
const ALL_WALKS = WALKS.flatMap((walk) => [walk, [...walk].reverse().join("")]);
const WALK_LENGTH = 4;
/** Three of a row of digits are a walk already. */
const DIGIT_WALK_LENGTH = 3;

/** What must be left when everything easy is taken away, and how long the part must be that others repeat. */
const MIN_LEFT = 5;
const MIN_PERIOD = 8;
const MIN_DIFFERENT = 5;

/** Shorter names stand in too many good passwords by chance. */
const MIN_NAME = 4;
const OWN_NAMES = ["kopeck", "копейка"];

const WRITTEN_AS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  l: "i",
  "!": "i",
  "|": "i",
  "3": "e",
  ё: "е",
  "4": "a",
  "@": "a",
  "5": "s",
  $: "s",
  "7": "t",
  "8": "b",
};

/** One form for a word however it is written. NFKC here, where texts are only compared, and not hashed. */
function folded(text: string): string {
  return [...text.normalize("NFKC").toLowerCase()].map((one) => WRITTEN_AS[one] ?? one).join("");
}

const FOLDED_WORDS = [...new Set(WORDS.map(folded))].sort((a, b) => b.length - a.length);
const ANY_WORD = new RegExp(FOLDED_WORDS.join("|"), "gu");

export function isCommon(password: string): boolean {
  const text = password.normalize("NFKC").toLowerCase();
  const characters = [...text];
  if (new Set(characters).size < MIN_DIFFERENT || periodOf(characters) < MIN_PERIOD) return true;
  const rest = withoutWalks(characters)
    .replace(/(.)\1{2,}/gu, "")
    .replace(/(?:19|20)\d\d/gu, "");
  const left = folded(rest).replace(ANY_WORD, "");
  return [...left.replace(/[\s\p{P}\p{S}]/gu, "")].length < MIN_LEFT;
}

/** Whether the name of this service, of the person or of their e-mail stands in it. */
export function isPersonal(password: string, about: readonly string[]): boolean {
  const text = lettersOf(password);
  const names = about.flatMap((one) => {
    const local = one.split("@")[0] ?? "";
    return [local, ...local.split(/[^\p{L}\p{N}]+/u)].map(lettersOf);
  });
  const long = names.filter((name) => [...name].length >= MIN_NAME);
  return [...OWN_NAMES.map(lettersOf), ...long].some((name) => text.includes(name));
}

function lettersOf(text: string): string {
  return folded(text).replace(/[^\p{L}\p{N}]/gu, "");
}

/** After how many characters a text repeats itself; its length where it never does. */
function periodOf(characters: readonly string[]): number {
  const repeats = (period: number) =>
    characters.every((one, index) => index < period || one === characters[index - period]);
  const period = characters.findIndex((_, index) => index > 0 && repeats(index));
  return period === -1 ? characters.length : period;
}

function withoutWalks(characters: readonly string[]): string {
  let rest = "";
  for (let at = 0; at < characters.length; ) {
    const length = walkFrom(characters, at);
    if (length === 0) rest += characters[at];
    at += Math.max(1, length);
  }
  return rest;
}

/** How long the longest walk is that begins here; 0 where none is long enough to be one. */
function walkFrom(characters: readonly string[], start: number): number {
  let length = 0;
  const isWalk = (text: string) => ALL_WALKS.some((walk) => walk.includes(text));
  while (
    start + length < characters.length &&
    isWalk(characters.slice(start, start + length + 1).join(""))
  )
    length += 1;
  const isDigits = /^\d+$/.test(characters.slice(start, start + length).join(""));
  return length >= (isDigits ? DIGIT_WALK_LENGTH : WALK_LENGTH) ? length : 0;
}
