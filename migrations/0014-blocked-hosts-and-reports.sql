-- Hosts that no link may lead to: each by itself or with everything below it. `blocked_by` is a name that
-- outlives the account.
create table blocked_hosts (
  host text collate "C" primary key,
  subdomains boolean not null,
  reason text,
  blocked_by text not null,
  blocked_at timestamptz not null default now()
);

-- What visitors report of a link: one row until the operator settles it, in which reports add up.
create table link_reports (
  id bigint generated always as identity primary key,
  link_id bigint not null references links on delete cascade,
  phishing integer not null default 0,
  malware integer not null default 0,
  spam integer not null default 0,
  other integer not null default 0,
  -- What reporters wrote, the latest last, as many as are kept.
  texts jsonb not null default '[]',
  first_at timestamptz not null,
  last_at timestamptz not null,
  settled_at timestamptz,
  decision text check (decision in ('disable', 'block', 'suspend', 'dismiss')),
  settled_by text
);

create unique index link_reports_open on link_reports (link_id) where settled_at is null;

-- For deletions of links.
create index link_reports_link on link_reports (link_id);

create index link_reports_settled on link_reports (settled_at, id) where settled_at is not null;
