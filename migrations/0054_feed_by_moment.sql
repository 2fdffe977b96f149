-- no transaction
drop index concurrently if exists event_feed_by_moment;
create index concurrently event_feed_by_moment on event_feed (placed_at);
