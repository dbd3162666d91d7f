-- Where an account has others told of what happens. The secret signs messages and so is kept as it is.
create table webhook_endpoints (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  url text not null,
  secret text not null,
  events text[] not null,
  created_at timestamptz not null default now(),
  -- Attempts that failed since one succeeded, and since when they do.
  failures integer not null default 0,
  failing_since timestamptz,
  paused_until timestamptz,
  -- When it was last told of clicks, and by which message.
  clicks_told_at timestamptz,
  clicks_delivery_id bigint,
  -- Since when nothing is sent any more, and why.
  disabled_at timestamptz,
  disabled_by text check (disabled_by in ('gone', 'failures'))
);

create index webhook_endpoints_account on webhook_endpoints (account_id, id);

-- Messages: those that wait, and what became of the others.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  endpoint_id bigint not null references webhook_endpoints on delete cascade,
  type text not null,
  data jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_at timestamptz not null,
  -- What the last attempt came to.
  status integer,
  problem text,
  created_at timestamptz not null
);

create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_at) where state = 'waiting';

create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, id);

create index webhook_deliveries_age on webhook_deliveries (created_at);

-- Clicks of which an endpoint is still to be told. Without a foreign key: an import of clicks must not
-- fail because an endpoint was deleted at that moment.
create table webhook_clicks (
  endpoint_id bigint not null,
  link_id bigint not null,
  clicks bigint not null,
  primary key (endpoint_id, link_id)
);

-- Up to which link, in the order of their ends, it has been told that links have ended.
create table webhook_ends (
  singleton boolean primary key default true check (singleton),
  told_until timestamptz not null,
  last_link_id bigint not null default 0
);

create index links_end on links (account_id, expires_at) where expires_at is not null;
