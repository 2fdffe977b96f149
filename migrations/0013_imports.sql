-- Statements: what this file makes comes with them.
select 1;
