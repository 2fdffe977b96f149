-- Whether somebody has said of a line that it is gone: further files without it are no news. Constant, so that no row is
-- written. A gateway of the version before says nothing of it, and asks about such a line once more.
alter table statement_lines add column known_gone boolean not null default false;
