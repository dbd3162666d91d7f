-- What happened when: a day of a link now also has its new visitors, its clicks by label, and its clicks
-- and new visitors by hour; and each account has days of its own, so that nobody adds up its links.
-- Days from before this migration have none of it (null) until they are brought along from the raw
-- clicks, link by link, by the importer or by `npx brevis migrate`.

alter table click_days add column visitors integer;

-- Packed like the labels of click_details. `hours` counts the clicks of hour h under h, new visitors
-- under 24 + h.
alter table click_days add column hours bytea;

alter table click_days add column labels bytea;

alter table click_days alter column hours set storage external;

alter table click_days alter column labels set storage external;

-- The language as a number: three letters, each from 1 to 26, by powers of 27; 0 where it is not known.
alter table clicks add column language smallint;

-- All clicks of an account's links and codes, also of those that have been deleted since. `links` are
-- the most clicked of the day, about, as candidates for a list that is counted exactly when asked for.
create table account_days (
  account_id bigint not null,
  day date not null,
  clicks bigint not null,
  visitors bigint not null,
  hours bytea not null,
  labels bytea not null,
  links bytea not null,
  primary key (account_id, day)
) with (fillfactor = 50);

alter table account_days alter column hours set storage external;

alter table account_days alter column labels set storage external;

alter table account_days alter column links set storage external;

-- How far the days from before this migration have been brought along: links up to `link_id` are done,
-- those after `last_link_id` are younger than the migration and need nothing.
create table day_backfill (
  singleton boolean primary key default true check (singleton),
  link_id bigint not null default 0,
  last_link_id bigint not null
);

insert into day_backfill (last_link_id)
select max(id) from links having max(id) is not null and exists (select from click_totals);
