-- Guesses at the passwords of links, from wherever they come. `wrong` seeps away with time, and is as
-- of `last_at`. Unlogged, as the windows of the rate limit are: a crash of the database forgives.
create unlogged table link_guesses (
  link_id bigint primary key,
  wrong double precision not null,
  last_at timestamptz not null,
  waits_until timestamptz
) with (fillfactor = 50);

-- Who knew the password of a link lately, so that a flood of guesses does not lock them out. A visitor
-- is a keyed hash of the network address and of the password's hash. Caused by visitors: no foreign key.
create table link_known_visitors (
  link_id bigint not null,
  visitor text not null,
  seen_at timestamptz not null default now(),
  primary key (link_id, visitor)
);
create index link_known_visitors_age on link_known_visitors (seen_at);
