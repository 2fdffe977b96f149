-- When an event got its position in the feed: a reader begins before a moment by it. A gateway of the version before
-- writes none, and no reader begins at such a row.
alter table event_feed add column placed_at timestamptz;
