-- A fee stays below what is paid, so that whatever is paid can be credited. The payer's part of a fee
-- comes on top of the amount, so it is the shop's part that must be below the amount. With a whole rate
-- of at most 100 % an amount that is larger by one leaves no less, so the smallest amount speaks for all.

create function leaves_credit(amount_minor bigint, percent_ppm integer, user_percent_ppm integer,
    fix_minor bigint) returns boolean language sql immutable as $$
  -- Multiplied, not divided: numeric keeps every digit of a product.
  select ceil(0.000001 * amount_minor * percent_ppm) - ceil(0.000001 * amount_minor * user_percent_ppm)
         + fix_minor < amount_minor
$$;

-- Tariffs of before: they begin at the smallest amount that leaves something, and one that never does is
-- switched off. What is refused from now on could never have been credited.
create function first_that_leaves_credit(min_minor bigint, max_minor bigint, percent_ppm integer,
    user_percent_ppm integer, fix_minor bigint) returns bigint language plpgsql as $$
declare
  low bigint := min_minor;
  high bigint := max_minor;
  middle bigint;
begin
  while low < high loop
    middle := low + (high - low) / 2;
    if leaves_credit(middle, percent_ppm, user_percent_ppm, fix_minor) then high := middle;
    else low := middle + 1;
    end if;
  end loop;
  return low;
end $$;

update tariffs set
  enabled = enabled and leaves_credit(max_minor, percent_ppm, user_percent_ppm, fix_minor),
  min_minor = first_that_leaves_credit(min_minor, max_minor, percent_ppm, user_percent_ppm, fix_minor)
where not leaves_credit(min_minor, percent_ppm, user_percent_ppm, fix_minor);
update default_tariffs set
  enabled = enabled and leaves_credit(max_minor, percent_ppm, user_percent_ppm, fix_minor),
  min_minor = first_that_leaves_credit(min_minor, max_minor, percent_ppm, user_percent_ppm, fix_minor)
where not leaves_credit(min_minor, percent_ppm, user_percent_ppm, fix_minor);

drop function first_that_leaves_credit;

alter table tariffs add constraint tariffs_leave_credit
  check (not enabled or leaves_credit(min_minor, percent_ppm, user_percent_ppm, fix_minor));
alter table default_tariffs add constraint default_tariffs_leave_credit
  check (not enabled or leaves_credit(min_minor, percent_ppm, user_percent_ppm, fix_minor));

-- Details are issued live. Those that were issued before stay as they are (not valid), and lapse.
alter table payments add constraint payments_leave_credit
  check (state <> 'live' or fee_minor - payer_fee_minor < amount_minor) not valid;
