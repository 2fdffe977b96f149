-- As in 0019_outflow.sql, but of the schemes' ranges and lengths only, and not right beside a letter, as in the code
-- (card-number.ts): of the numbers and codes that banks call a payment by, one in ten has a right check digit.
create or replace function holds_card_number(texts text) returns boolean language sql immutable as $$
  select exists (
    select from regexp_matches(texts, '(?<![[:alnum:]])\d{13,19}(?![[:alnum:]])', 'g') as found(digits)
    where digits[1] ~ ('^(4(\d{12}|\d{15}|\d{18})|3[47]\d{13}|3(095|[689]\d\d)\d{10,15}|'
        || '(5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|220[0-4]\d{12,15}|'
        || '35(2[89]|[3-8]\d)\d{12,15}|(5[06-8]|6\d)\d{14,17}|'
        || '(8[12]\d\d|8600|9051|9112|9417|9792|9860)\d{12,15})$')
      and (select sum(case when place % 2 = 1 then digit when digit > 4 then digit * 2 - 9
                           else digit * 2 end)
           from (select place, substr(reverse(digits[1]), place, 1)::integer as digit
                 from generate_series(1, length(digits[1])) as place) placed) % 10 = 0)
$$;
