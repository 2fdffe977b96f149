-- Another thing that a line of a statement may wait for: whose it is, where others of its file name their account. What
-- is there was held to a narrower rule, so it is not looked through while the table is locked.
alter table statement_lines
  drop constraint statement_lines_waits_for_check,
  add constraint statement_lines_waits_for_check
    check (waits_for in ('changed', 'reversal', 'ahead', 'payout', 'account')) not valid;
