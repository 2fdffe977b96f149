// Who is refused because of who they are, and why somebody cannot come in so; in both languages. Part of the
// table in refusal.ts.

type Words = readonly [en: string, ru: string, field?: string];

/** Who calls is not known. */
export const UNKNOWN = {
  unauthorized: [
    "Authorization error: wrong identifier or secret key.",
    "Ошибка авторизации: неверный идентификатор или секретный ключ.",
  ],
  sign_in_failed: [
    "This did not fit. After several wrong tries the next ones have to wait.",
    "Не подошло. После нескольких неверных попыток следующим приходится ждать.",
  ],
} as const satisfies Record<string, Words>;

/** Who calls is known, and may do something else. */
export const FORBIDDEN = {
  viewer_cannot_change: [
    "A viewer may look, and change nothing.",
    "Наблюдатель может смотреть, но не менять.",
  ],
  looker_cannot_change: [
    "Whoever looks at a merchant's cabinet can only look, and change nothing.",
    "Кто смотрит кабинет мерчанта, может только смотреть и ничего не меняет.",
  ],
  cashier_sets_nothing: [
    "A cashier may handle transfers, payouts and refunds, and set nothing.",
    "Кассир работает с переводами, выводами и возвратами, но ничего не настраивает.",
  ],
  role_cannot: [
    "Your role does not allow this; {en} may do it.",
    "Ваша роль этого не позволяет; это может {ru}.",
  ],
  bank_only_adds_transfers: [
    "A bank may add transfers, and do nothing else.",
    "Банк может только добавлять переводы.",
  ],
} as const satisfies Record<string, Words>;

/** What cannot be of people and their ways in. */
export const PERSON_WORDS = {
  passkey_refused: [
    "The passkey could not be used here. Please try again.",
    "Этот ключ доступа здесь использовать нельзя. Попробуйте ещё раз.",
  ],
  code_refused: [
    "This is not the code that the app shows now.",
    "Это не тот код, который сейчас показывает приложение.",
    "code",
  ],
  link_used: ["This link has been used.", "Эта ссылка уже использована."],
  last_way_in: [
    "This is the last way in: make another one first.",
    "Это последний способ входа: сначала создайте другой.",
  ],
  password_too_short: [
    "The password has fewer than 12 characters.",
    "В пароле меньше 12 знаков.",
    "password",
  ],
  password_too_long: ["The password is too long.", "Пароль слишком длинный.", "password"],
  password_common: [
    "Many people have this password: it would be guessed.",
    "Такой пароль есть у многих: его угадают.",
    "password",
  ],
  password_personal: [
    "The password holds your name, your address or ours.",
    "В пароле есть ваше имя, ваш адрес или наше название.",
    "password",
  ],
  person_exists: [
    "Somebody with this e-mail address is here already.",
    "Человек с таким адресом уже есть.",
    "email",
  ],
  last_owner: [
    "This is the merchant's last owner: make another one first.",
    "Это последний владелец: сначала назначьте другого.",
  ],
  link_for_oneself: [
    "This is you, and you are in: change how you sign in at /security.",
    "Это вы, и вы уже вошли: способы входа меняются на /security.",
  ],
  person_shared: [
    "This person belongs to others, too, or cannot sign in: ask the operator.",
    "Этот человек есть и у других или не может входить: обратитесь к оператору.",
  ],
  person_must_accept: [
    "This person was never at the desk: invite them by their e-mail address, and they accept by the link.",
    "Этот человек ещё не работал в шлюзе: пригласите его по адресу почты, и он примет приглашение по ссылке.",
  ],
  changed_meanwhile: [
    "The saved values are not those that the form showed. Yours stand below, with the saved one beside each that differs: check them and save again.",
    "Сохранённые значения уже не те, что показывала форма. Ниже введённые вами, рядом с отличающимися — сохранённые: проверьте и сохраните ещё раз.",
  ],
  wrong_merchant: [
    "This page was opened for another merchant. Open it again for the one that you look at now.",
    "Эта страница открыта для другого мерчанта. Откройте её заново для того, который выбран сейчас.",
  ],
  person_disabled: [
    "This person cannot sign in: allow that first.",
    "Этот человек не может входить: сначала разрешите вход.",
  ],
} as const satisfies Record<string, Words>;
