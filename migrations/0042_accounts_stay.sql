-- Whether a statement has named a requisite's account, or waits to be applied: from then on the account stays, or
-- another requisite could be told the same lines. Formats without an account say nothing of it.
create function account_was_named(requisite uuid) returns boolean language sql stable strict as $$
  select exists (
    select from statement_sections section join imports import on import.id = section.import_id
    where section.requisite_id = requisite and import.lines > 0
      and (import.requisite_id is null
        or section.format not in ('csv-tbank', 'csv-raiffeisen', 'csv-own')))
$$;
