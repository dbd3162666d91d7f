-- The first schema. Two families of tables live here: what people own (accounts to QR codes), tied
-- together by foreign keys, and what visitors cause (click_*), which stands apart: every key there
-- begins with the link, and no foreign key leaves it, so those tables can be spread over machines.

create table instance (
  singleton boolean primary key default true check (singleton),
  token text not null,
  visitor_key bytea not null,
  created_at timestamptz not null default now()
);

create table accounts (
  id bigint generated always as identity primary key,
  email text not null,
  username text not null,
  password_hash text not null,
  plan text not null default 'free' check (plan in ('free', 'pro')),
  expires_at timestamptz,
  suspended_at timestamptz,
  registered_at timestamptz not null default now()
);
create unique index accounts_email_key on accounts (lower(email));
create unique index accounts_username_key on accounts (lower(username));

create table api_keys (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  prefix text not null,
  hash bytea not null constraint api_keys_hash_key unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_account on api_keys (account_id);

-- Windows of the rate limit. Unlogged: a window lives for a minute, and losing one in a crash of the
-- database only forgives what was used of it. Room is left in the pages so that updates stay in place.
create unlogged table rate_windows (
  subject text primary key,
  started_at timestamptz not null,
  hits integer not null
) with (fillfactor = 50);

create table idempotency_keys (
  account_id bigint not null references accounts on delete cascade,
  key text not null,
  request_hash bytea not null,
  response text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- How many rows an owner has, so that a list that may be long can tell its size without counting; see
-- count_rows_of. Spread over slots, because a single row would make every insert of one account wait
-- for the commit before it. Links, and those that were clicked, are also counted by blocks of 16,384
-- ids, so that a deep page can be found; block -1 is the whole.
create table row_counts (
  owner_id bigint not null,
  kind text not null,
  block bigint not null,
  slot smallint not null,
  rows bigint not null,
  primary key (kind, owner_id, block, slot)
) with (fillfactor = 50);

create table domains (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  host text not null constraint domains_host_key unique,
  origin text not null,
  redirect_root text,
  redirect_404 text,
  created_at timestamptz not null default now()
);
create index domains_account on domains (account_id, id);

create table splash_pages (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  name text not null,
  title text not null,
  message text not null,
  image text,
  link text,
  seconds integer,
  created_at timestamptz not null default now()
);
create index splash_pages_account on splash_pages (account_id, id);

create table overlays (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  type text not null check (type in ('contact', 'poll', 'message', 'newsletter', 'image')),
  name text not null,
  text text not null,
  button text,
  link text,
  image text,
  options jsonb not null default '[]',
  created_at timestamptz not null default now()
);
create index overlays_account on overlays (account_id, id);

create table pixels (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  type text not null,
  name text not null,
  tag text not null,
  created_at timestamptz not null default now()
);
create index pixels_account on pixels (account_id, id);

-- kind 'qr' is the link behind a dynamic QR code: clicked like any other, listed nowhere.
create table links (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  kind text not null default 'link' check (kind in ('link', 'qr')),
  domain_id bigint references domains,
  alias text not null,
  url text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  redirect text not null default 'direct' check (redirect in ('direct', 'frame', 'splash', 'overlay')),
  splash_id bigint references splash_pages on delete set null,
  overlay_id bigint references overlays on delete set null,
  password_hash text,
  expires_at timestamptz,
  geo_targets jsonb not null default '[]',
  device_targets jsonb not null default '[]',
  language_targets jsonb not null default '[]',
  parameters jsonb not null default '[]',
  meta_title text,
  meta_description text,
  meta_image text,
  created_at timestamptz not null default now(),
  constraint links_alias_key unique nulls not distinct (alias, domain_id)
);
create index links_account on links (account_id, id) where kind = 'link';
create index links_domain on links (domain_id) where domain_id is not null;
create index links_splash on links (splash_id) where splash_id is not null;
create index links_overlay on links (overlay_id) where overlay_id is not null;

create table overlay_answers (
  id bigint generated always as identity primary key,
  overlay_id bigint not null references overlays on delete cascade,
  link_id bigint references links on delete set null,
  answer jsonb not null,
  created_at timestamptz not null default now()
);
create index overlay_answers_overlay on overlay_answers (overlay_id, id);
create index overlay_answers_link on overlay_answers (link_id) where link_id is not null;

create table link_pixels (
  link_id bigint not null references links on delete cascade,
  pixel_id bigint not null references pixels on delete cascade,
  position smallint not null,
  primary key (link_id, pixel_id)
);
create index link_pixels_pixel on link_pixels (pixel_id);

create table campaigns (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  name text not null,
  slug text constraint campaigns_slug_key unique,
  public boolean not null default false,
  created_at timestamptz not null default now()
);
create index campaigns_account on campaigns (account_id, id);

create table campaign_links (
  campaign_id bigint not null references campaigns on delete cascade,
  link_id bigint not null references links on delete cascade,
  primary key (campaign_id, link_id)
);
create index campaign_links_link on campaign_links (link_id);

create table bio_pages (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  alias text not null constraint bio_pages_alias_key unique,
  title text not null,
  text text not null default '',
  links jsonb not null default '[]',
  created_at timestamptz not null default now()
);
create index bio_pages_account on bio_pages (account_id, id);

create table qr_codes (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  alias text not null constraint qr_codes_alias_key unique,
  name text not null,
  type text not null check (type in ('text', 'vcard', 'link', 'email', 'phone', 'sms', 'wifi')),
  -- What a static code carries; a dynamic one carries the short URL of its link.
  payload text,
  background text,
  foreground text,
  logo bytea,
  link_id bigint constraint qr_codes_link_key unique references links,
  created_at timestamptz not null default now(),
  check (num_nonnulls(payload, link_id) = 1),
  check ((type = 'link') = (link_id is not null))
);
create index qr_codes_account on qr_codes (account_id, id);

create table channels (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  name text not null,
  description text not null default '',
  color text not null default '',
  starred boolean not null default false,
  created_at timestamptz not null default now()
);
create index channels_account on channels (account_id, id);

create table channel_items (
  id bigint generated always as identity primary key,
  channel_id bigint not null references channels on delete cascade,
  link_id bigint references links on delete cascade,
  bio_id bigint references bio_pages on delete cascade,
  qr_id bigint references qr_codes on delete cascade,
  check (num_nonnulls(link_id, bio_id, qr_id) = 1),
  constraint channel_items_link_key unique (channel_id, link_id),
  constraint channel_items_bio_key unique (channel_id, bio_id),
  constraint channel_items_qr_key unique (channel_id, qr_id)
);
create index channel_items_order on channel_items (channel_id, id);
create index channel_items_link on channel_items (link_id) where link_id is not null;
create index channel_items_bio on channel_items (bio_id) where bio_id is not null;
create index channel_items_qr on channel_items (qr_id) where qr_id is not null;

-- The account's links that were clicked, in the order of their clicks. The importer brings this up to
-- date every few seconds from click_totals, so the numbers here are only good for ordering.
create table link_order (
  account_id bigint not null,
  clicks bigint not null,
  link_id bigint not null constraint link_order_link_key unique references links on delete cascade,
  primary key (account_id, clicks, link_id)
) with (fillfactor = 80);

-- The links whose clicks each import has changed, until link_order has been brought up to date.
create table link_order_changes (
  id bigint generated always as identity primary key,
  link_ids bigint[] not null
);
alter table link_order_changes alter column link_ids set storage external;

-- Keeps the number of rows of a table in row_counts from now on, for each owner named by a column and
-- by the blocks listed, of rows that meet the condition; rows that are there already are counted now.
-- A function for each table, not one that builds its statement: this way it is planned only once.
create procedure count_rows_of(
  name text, owner text, condition text default 'true', blocks text default '(-1)'
) language plpgsql as $procedure$
begin
  execute format(
    'create function count_%1$s() returns trigger language plpgsql as $count$
     begin
       insert into row_counts as c (owner_id, kind, block, slot, rows)
       select %2$I, %1$L, block, pg_backend_pid() %% 16,
              case when tg_op = ''INSERT'' then 1 else -1 end * count(*)
       from changed cross join lateral (values %4$s) as within (block) where %3$s
       group by %2$I, block order by %2$I, block
       on conflict (kind, owner_id, block, slot) do update set rows = c.rows + excluded.rows;
       return null;
     end $count$',
    name, owner, condition, blocks);
  execute format(
    'create trigger count_inserted after insert on %1$I referencing new table as changed
     for each statement execute function count_%1$s()',
    name);
  execute format(
    'create trigger count_deleted after delete on %1$I referencing old table as changed
     for each statement execute function count_%1$s()',
    name);
  execute format(
    'insert into row_counts (owner_id, kind, block, slot, rows)
     select %2$I, %1$L, block, 0, count(*)
     from %1$I cross join lateral (values %4$s) as within (block) where %3$s
     group by %2$I, block',
    name, owner, condition, blocks);
end $procedure$;

call count_rows_of('links', 'account_id', 'kind = ''link''', '(-1), (id >> 14)');
call count_rows_of('link_order', 'account_id', 'true', '(-1), (link_id >> 14)');
call count_rows_of('qr_codes', 'account_id');
call count_rows_of('campaign_links', 'campaign_id');
call count_rows_of('channel_items', 'channel_id');

-- Labels seen in clicks (countries, referrers, browsers, systems), so that the tables below hold integers.
create table labels (
  id integer generated always as identity primary key,
  name text not null constraint labels_name_key unique
);

-- How far each segment of a click journal has been brought into the tables below.
create table journal_positions (
  segment text primary key,
  position bigint not null,
  updated_at timestamptz not null default now()
);

create table click_totals (
  link_id bigint primary key,
  clicks bigint not null default 0,
  last_click_at timestamptz
) with (fillfactor = 80);

create table click_days (
  link_id bigint not null,
  day date not null,
  clicks bigint not null,
  primary key (link_id, day)
) with (fillfactor = 80);

-- What a batch of clicks changes beside the numbers above, one row a link and not some thirty. `labels`
-- are its clicks by country, referrer, browser and so on, packed into one value. `visitors` is how many
-- there have been; `hashes` is the first bucket of the set that tells new ones from known ones.
create table click_details (
  link_id bigint primary key,
  labels bytea not null,
  visitors bigint not null,
  hashes bytea not null
) with (fillfactor = 60, toast_tuple_target = 4080);
alter table click_details alter column labels set storage external;
alter table click_details alter column hashes set storage external;

-- The further buckets of a link's set of visitors, numbered from 1.
create table click_visitors (
  link_id bigint not null,
  bucket integer not null,
  hashes bytea not null,
  primary key (link_id, bucket)
) with (fillfactor = 50);
alter table click_visitors alter column hashes set storage external;

create table clicks (
  link_id bigint not null,
  at timestamptz not null,
  visitor bigint not null,
  country integer not null,
  referrer integer not null,
  browser integer not null,
  os integer not null,
  device smallint not null,
  crawler boolean not null
) partition by range (at);
create index clicks_link on clicks (link_id);

-- Deleted links with more visitors or raw clicks than one request can delete; the importer goes on.
create table removed_links (
  link_id bigint primary key,
  removed_at timestamptz not null default now()
);
