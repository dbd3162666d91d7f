-- Links that come from elsewhere. An import remembers how far it is, so that one that was cut off goes
-- on, and what it could not take.
create table imports (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  source text not null,
  -- The file or the address that it reads.
  name text not null,
  options jsonb not null default '{}',
  state text not null default 'waiting'
    check (state in ('waiting', 'checking', 'checked', 'running', 'done', 'failed')),
  -- Where a source that is asked page by page is to be asked next.
  page text,
  rows bigint not null default 0,
  -- Rows there are, where that is known beforehand.
  expected bigint,
  counts jsonb not null default '{}',
  problem text,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz
);

create index imports_account on imports (account_id, id);

-- Rows that were not taken, and why.
create table import_problems (
  import_id bigint not null references imports on delete cascade,
  row bigint not null,
  alias text not null,
  problem text not null,
  primary key (import_id, row)
);

-- Which link a row of a source has become: the same row is not taken twice.
create table imported_links (
  link_id bigint primary key references links on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  source text not null,
  domain text not null,
  alias text not null,
  constraint imported_links_row_key unique (account_id, source, domain, alias)
);

-- How many of a link's clicks were counted elsewhere: there are no raw clicks and no visitors of them.
create table click_imports (
  link_id bigint primary key,
  clicks bigint not null,
  first_day date not null,
  last_day date not null
);
