-- Who works at the desk: a cashier handles money, and sets nothing.

alter table operators
  drop constraint operators_role_check,
  add constraint operators_role_check check (role in ('operator', 'cashier', 'viewer', 'bank'));
