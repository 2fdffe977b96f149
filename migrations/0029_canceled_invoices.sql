-- An invoice that its shop has canceled before it ever had details may be removed like one that expired so, after its
-- events; those that the shop was not told stay.

create or replace trigger events_go_with_invoices after delete on events
  referencing old table as gone for each statement execute function refuse_deletion(
    '(select state in (''expired'', ''failed'') and details = 0 from invoices where id = gone.invoice_id)
     and not exists (select from outbox where event_id = gone.id)');
create or replace trigger invoices_stay_once_offered after delete on invoices
  referencing old table as gone for each statement execute function refuse_deletion(
    'state in (''expired'', ''failed'') and details = 0
     and not exists (select from events where invoice_id = gone.id)
     and not exists (select from payments where invoice_id = gone.id)');
