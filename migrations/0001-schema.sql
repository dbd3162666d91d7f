-- The whole schema. Tables belong to one of two families:
--
-- * What people own, from accounts to QR codes, is tied together by foreign keys.
-- * What visitors cause (click_*, clicks, account_days) stands apart. Keys begin with the link or the
--   account, and no foreign key leaves these tables, so that Citus can distribute them.
--
-- Statements run one at a time, because Citus refuses a batch that touches a distributed table.

-- The installation

create table instance (
  singleton boolean primary key default true check (singleton),
  token text not null,
  visitor_key bytea not null,
  created_at timestamptz not null default now(),
  -- When the last round of looking for unused labels began.
  labels_checked_at timestamptz
);

-- Accounts and sessions

-- A tenant: what links, keys and plans belong to. The email is that of its owner, kept here as well so
-- that API requests need no join.
create table accounts (
  id bigint generated always as identity primary key,
  email text not null,
  username text not null,
  plan text not null default 'free' check (plan in ('free', 'pro')),
  expires_at timestamptz,
  suspended_at timestamptz,
  registered_at timestamptz not null default now(),
  -- Set when deletion starts. Large accounts are deleted in batches, and their row goes last.
  deleting_since timestamptz
);
create index accounts_email on accounts (lower(email));
create unique index accounts_username_key on accounts (lower(username));
create index accounts_deleting on accounts (id) where deleting_since is not null;

-- A person. Without a password hash they sign in another way, or not yet. Admins may open the admin pages,
-- whatever account they work in.
create table users (
  id bigint generated always as identity primary key,
  email text not null,
  password_hash text,
  language text not null default 'en',
  time_zone text not null default 'UTC',
  admin boolean not null default false,
  -- Whether the email is known to be the person's own. Whoever registers could enter somebody else's.
  email_verified boolean not null default false,
  created_at timestamptz not null default now(),
  -- Whether signing in takes a second factor: true for users with one-time codes or a passkey. A session
  -- begins under a lock of this row, so that none begins without the factor once there is one.
  has_second_factor boolean not null default false
);
create unique index users_email_key on users (lower(email));
create index users_admin on users (id) where admin;

-- A user's identity at the provider of OpenID Connect. Its subject never changes and is never reused,
-- unlike the email there.
create table user_identities (
  issuer text not null,
  subject text not null,
  user_id bigint not null references users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index user_identities_user on user_identities (user_id);

-- Who works in an account. The oldest owner is the one that API clients see.
create table members (
  account_id bigint not null references accounts on delete cascade,
  user_id bigint not null references users on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (account_id, user_id)
);
create index members_user on members (user_id);

-- Members who get a report of their account by mail. The token is in the mails, to unsubscribe. `sent_until` is
-- the first day, counted from 1970, that no report has covered.
create table report_subscriptions (
  account_id bigint not null,
  user_id bigint not null,
  frequency text not null check (frequency in ('weekly', 'monthly')),
  token text not null constraint report_subscriptions_token_key unique,
  sent_until integer not null,
  next_at timestamptz not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references members on delete cascade
);
create index report_subscriptions_due on report_subscriptions (next_at);

-- Invitations that nobody has accepted yet. The hash is of the link's token, which is not stored; null
-- until the mail with the link is sent. Times come from the program's clock.
create table invitations (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  email text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  hash bytea constraint invitations_hash_key unique,
  expires_at timestamptz not null
);
create unique index invitations_email_key on invitations (account_id, lower(email));

-- Browsers signed in to the console, each with the account that it works in. The hash is of the cookie's token, which is not stored. Times come
-- from the program's clock, because that clock also decides when a session expires.
create table sessions (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  hash bytea not null constraint sessions_hash_key unique,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  -- Browser and operating system, so that the owner recognizes the session. Null if unknown.
  browser text
);
create index sessions_user on sessions (user_id, last_used_at);
create index sessions_account on sessions (account_id);

-- The one valid link by which a user sets a new password. A new link replaces it, and its use
-- deletes it. The hash is of the link's token, which is not stored. Times come from the program's clock.
create table password_resets (
  user_id bigint primary key references users on delete cascade,
  hash bytea not null constraint password_resets_hash_key unique,
  expires_at timestamptz not null
);

-- The one-time codes of a user (RFC 6238). Checking a code needs the secret, so it is not hashed. The last
-- step is the time step of the last code that was accepted, so that each code works once.
create table one_time_codes (
  user_id bigint primary key references users on delete cascade,
  secret bytea not null,
  last_step bigint not null,
  created_at timestamptz not null
);

-- Recovery codes that are still unused. Each hash is of 80 random bits.
create table recovery_codes (
  user_id bigint not null references users on delete cascade,
  hash bytea not null,
  primary key (user_id, hash)
);

-- Passkeys (WebAuthn). The counter is that of the authenticator's last signature, 0 if it does not count.
create table passkeys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  credential_id bytea not null constraint passkeys_credential_key unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id);

-- A second factor that somebody is setting up in a session: the secret of one-time codes, or the
-- challenge of a passkey and its name. Unlogged, as after a crash people begin again.
create unlogged table factor_setups (
  session_id bigint primary key references sessions on delete cascade,
  kind text not null check (kind in ('codes', 'passkey')),
  secret bytea not null,
  name text,
  expires_at timestamptz not null
);

-- Browsers between the two steps of signing in. The hash is of the cookie's token, which is not stored.
-- Without a user, a passkey says who signs in. The password hash is the one that the password was checked
-- against, so that a new password ends the sign-in. Unlogged for the same reason.
create unlogged table pending_sign_ins (
  hash bytea primary key,
  user_id bigint references users on delete cascade,
  account_id bigint references accounts on delete cascade,
  password_hash text,
  -- The link of the invitation that the sign-in accepts.
  invitation_hash bytea,
  challenge bytea,
  expires_at timestamptz not null
);
create index pending_sign_ins_user on pending_sign_ins (user_id);
create index pending_sign_ins_account on pending_sign_ins (account_id);

-- Rate limit windows. Unlogged, because a window lasts a minute and losing it in a crash only forgives
-- the requests counted so far. The fill factor keeps updates on their page.
create unlogged table rate_windows (
  subject text primary key,
  started_at timestamptz not null,
  hits integer not null
) with (fillfactor = 50);

-- Accounts whose statistics somebody has open, until the given time. Imports publish their clicks. Unlogged,
-- because an open page renews its row every few seconds.
create unlogged table followed_accounts (
  account_id bigint primary key,
  until timestamptz not null
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

-- Domains

create table domains (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  host text not null constraint domains_host_key unique,
  origin text not null,
  redirect_root text,
  redirect_404 text,
  -- Where visitors of expired links go that have no URL of their own for it.
  expired_url text,
  -- Whether its links forward the visitor's query and path, unless they say otherwise.
  forward_query boolean not null default false,
  forward_path boolean not null default false,
  -- The texts of /.well-known/assetlinks.json and /.well-known/apple-app-site-association.
  asset_links text,
  app_site_association text,
  -- The look of visitor pages: a color as #rrggbb, a PNG in base64 that a page embeds, and whether pages
  -- without a logo name this software. Texts, so that link stores hold them as JSON.
  accent text,
  logo text,
  footer boolean not null default true,
  created_at timestamptz not null default now(),
  -- The last check whether the domain points here, and the first of the failed checks since it did.
  asked_at timestamptz,
  failing_since timestamptz,
  -- The result and time of the last check, for its owner: it points here, it points elsewhere, or its name has
  -- no address.
  dns_state text check (dns_state in ('here', 'elsewhere', 'missing')),
  dns_checked_at timestamptz
);
create index domains_account on domains (account_id, id);

-- API keys

create table api_keys (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  prefix text not null,
  hash bytea not null constraint api_keys_hash_key unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- The owner's label for the key, if any.
  name text,
  scope text not null default 'full' check (scope in ('full', 'links', 'create', 'read')),
  -- The only domain whose links the key reaches. Null for a key without that limit, which is why a key
  -- is deleted with its domain.
  domain_id bigint references domains on delete cascade
);
create index api_keys_account on api_keys (account_id);
create index api_keys_domain on api_keys (domain_id) where domain_id is not null;

-- Splash pages, overlays and pixels

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

-- Links

-- Links of kind 'qr' and 'bio' back dynamic QR codes and buttons of bio pages: they are clicked like any other,
-- but never listed. One of kind 'forward' does not count its visits, because it leads to another link of its
-- account, which does: it backs a printed code that now stands for that link. One of kind 'deleted' is in the
-- trash: see deleted_links.
create table links (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  kind text not null default 'link' check (kind in ('link', 'qr', 'bio', 'forward', 'deleted')),
  domain_id bigint references domains,
  alias text not null,
  url text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  redirect text not null default 'direct' check (redirect in ('direct', 'frame', 'splash', 'overlay')),
  splash_id bigint references splash_pages on delete set null,
  overlay_id bigint references overlays on delete set null,
  password_hash text,
  starts_at timestamptz,
  expires_at timestamptz,
  max_clicks integer check (max_clicks between 1 and 1000000),
  -- When the last of the clicks was used. `link_uses` counts them.
  used_up_at timestamptz,
  ends_at timestamptz generated always as (least(expires_at, used_up_at)) stored,
  -- Where visitors go once the link has ended.
  expired_url text,
  -- Destinations for some visitors, as src/links/rules/rule.ts describes them. The first that applies wins.
  rules jsonb not null default '[]',
  -- Destinations among which the other visitors are divided, as src/links/split.ts describes them.
  split jsonb not null default '[]',
  parameters jsonb not null default '[]',
  -- Null for the domain's default.
  forward_query boolean,
  forward_path boolean,
  meta_title text,
  meta_description text,
  meta_image text,
  created_at timestamptz not null default now(),
  -- Who created the link, as src/links/versions/actor.ts writes it: this row is the link's first version.
  created_by text,
  -- When an admin disabled the link, and the reason given. Null if only the owner may have disabled it.
  -- Separate from the status, so that queries about the status can ignore it.
  blocked_at timestamptz,
  block_reason text,
  -- When the owner archived the link. It still redirects, but the console's list leaves it out.
  archived_at timestamptz,
  -- The text that a search matches, stored so that a search does not assemble it for every link. Only
  -- ASCII is lowercased, because the rest depends on the locale of the database.
  search_text text generated always as (
    lower((alias || chr(1) || url || chr(1) || coalesce(meta_title, '')) collate "C")
  ) stored,
  constraint links_alias_key unique nulls not distinct (alias, domain_id)
);
create index links_account on links (account_id, id) where kind = 'link';
-- For lists sorted by creation date and by alias.
create index links_created on links (account_id, created_at, id) include (archived_at)
  where kind = 'link';
create index links_archived on links (account_id, created_at, id)
  where kind = 'link' and archived_at is not null;
create index links_aliases on links (account_id, alias collate "C", id) include (archived_at)
  where kind = 'link';
create index links_domain on links (domain_id) where domain_id is not null;
create index links_splash on links (splash_id) where splash_id is not null;
create index links_overlay on links (overlay_id) where overlay_id is not null;

-- Lists filtered by status. Most links are in none of these indexes.
create index links_disabled on links (account_id, created_at, id)
  where kind = 'link' and status = 'disabled';
create index links_ending on links (account_id, created_at, id) include (ends_at)
  where kind = 'link' and status = 'active' and ends_at is not null;

-- For webhooks about expired links.
create index links_end on links (account_id, expires_at) where expires_at is not null;

-- The trash. A deleted link keeps its row and its clicks for 30 days, under the kind 'deleted', so that
-- nothing else finds it. What other tables had of it is in `parts`, from which restoring puts it back: tags,
-- campaigns, channels, QR codes and the row of an import.
create table deleted_links (
  link_id bigint primary key references links on delete cascade,
  account_id bigint not null,
  deleted_at timestamptz not null default now(),
  parts jsonb not null
);
create index deleted_links_account on deleted_links (account_id, deleted_at, link_id);
create index deleted_links_age on deleted_links (deleted_at);

-- What takes a recent change of links back: the opposite action, and the links that the change concerned.
create table undo_actions (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  action text not null,
  -- The tag or the campaign of the action.
  value text not null default '',
  link_ids bigint[] not null,
  created_at timestamptz not null default now()
);
create index undo_actions_account on undo_actions (account_id);
create index undo_actions_age on undo_actions (created_at);

-- The clicks used of links with a limit, which are counted before the visitor is redirected. Not a column of
-- links, because every change of a link is sent to all link stores.
create table link_uses (
  link_id bigint primary key references links on delete cascade,
  clicks integer not null
) with (fillfactor = 50);

-- Uploaded images of links for previews where a link is shared: JPEGs, served at /static/<hash>.jpg. The hash
-- contains the account, and `meta_image` of the link the URL. A link keeps the images of its last versions.
create table link_images (
  link_id bigint not null references links on delete cascade,
  hash text not null,
  image bytea not null,
  created_at timestamptz not null default now(),
  primary key (link_id, hash)
);
create index link_images_hash on link_images (hash);
-- The links whose preview names an uploaded image, by its hash. It may be an image of another link.
create index links_share_image
  on links (substring(meta_image from '^https?://[^/]+/static/([0-9a-f]{32})[.]jpg$'))
  where substring(meta_image from '^https?://[^/]+/static/([0-9a-f]{32})[.]jpg$') is not null;

-- UTM parameters that an account uses again.
create table utm_templates (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  name text not null,
  values jsonb not null,
  unique (account_id, name)
);

create table link_pixels (
  link_id bigint not null references links on delete cascade,
  pixel_id bigint not null references pixels on delete cascade,
  position smallint not null,
  primary key (link_id, pixel_id)
);
create index link_pixels_pixel on link_pixels (pixel_id);

-- `key` is the name in lower case, by which names are compared.
create table tags (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  name text not null,
  key text collate "C" not null,
  constraint tags_key unique (account_id, key)
);

-- No foreign key to links: checking one for every row took most of the time of tagging a million links.
-- Every writer has created or locked the link in the same transaction, and forget_imported deletes the
-- rows of deleted links.
create table link_tags (
  link_id bigint not null,
  tag_id bigint not null references tags,
  position integer not null,
  primary key (link_id, tag_id)
);
create index link_tags_tag on link_tags (tag_id, link_id);

-- Changes of links, by field: {"url": {"before": …, "after": …}}. Values have the form of the API, and
-- passwords are left out. `restores` is the version that the change restored, 0 for the creation. No foreign
-- key to links, as in link_tags.
create table link_versions (
  link_id bigint not null,
  id bigint generated always as identity,
  changed_at timestamptz not null default now(),
  changed_by text not null,
  restores bigint,
  changes jsonb not null,
  primary key (link_id, id)
);
create index link_versions_age on link_versions (changed_at);

-- The last check of a link's destinations. `failed_at` is the first failure since they last worked, and
-- `broken_at` is set once they fail again a day later. `postponed` says that the server asked for more time.
-- No foreign key to links, as in link_tags.
create table link_checks (
  link_id bigint primary key,
  checked_at timestamptz not null,
  next_at timestamptz not null,
  failed_at timestamptz,
  broken_at timestamptz,
  problem text,
  destination text,
  postponed boolean not null default false
);
create index link_checks_broken on link_checks (link_id) where broken_at is not null;

create table overlay_answers (
  id bigint generated always as identity primary key,
  overlay_id bigint not null references overlays on delete cascade,
  link_id bigint references links on delete set null,
  answer jsonb not null,
  created_at timestamptz not null default now()
);
create index overlay_answers_overlay on overlay_answers (overlay_id, id);
create index overlay_answers_link on overlay_answers (link_id) where link_id is not null;

-- Wrong guesses at the password of a link, from all visitors. The count decays with time and holds for
-- `last_at`. Unlogged: a crash of the database only forgives.
create unlogged table link_guesses (
  link_id bigint primary key,
  wrong double precision not null,
  last_at timestamptz not null,
  waits_until timestamptz
) with (fillfactor = 50);

-- Visitors who recently entered the right password, so that a flood of guesses does not lock them out.
-- A visitor is a keyed hash of the network address and the password's hash.
create table link_known_visitors (
  link_id bigint not null,
  visitor text not null,
  seen_at timestamptz not null default now(),
  primary key (link_id, visitor)
);
create index link_known_visitors_age on link_known_visitors (seen_at);

-- Campaigns, bio pages, QR codes and channels

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
  id bigint generated always as identity constraint campaign_links_id_key unique,
  campaign_id bigint not null references campaigns on delete cascade,
  link_id bigint not null references links on delete cascade,
  primary key (campaign_id, link_id)
);
create index campaign_links_link on campaign_links (link_id);

-- Public pages with the statistics of a link or a campaign. The token of the URL is stored as it is, because
-- people copy the URL again later, and whoever reads this table can read the statistics anyway.
create table shared_statistics (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  token text not null constraint shared_statistics_token_key unique,
  link_id bigint constraint shared_statistics_link_key unique references links on delete cascade,
  campaign_id bigint constraint shared_statistics_campaign_key unique
    references campaigns on delete cascade,
  -- The time zone of the page: that of whoever created it.
  time_zone text not null,
  created_at timestamptz not null default now(),
  check (num_nonnulls(link_id, campaign_id) = 1)
);
create index shared_statistics_account on shared_statistics (account_id);

create table bio_pages (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  alias text not null constraint bio_pages_alias_key unique,
  title text not null,
  text text not null default '',
  -- The buttons: title, URL, and the id of the link that counts their clicks. `alias` is that of a link of
  -- kind 'bio', which belongs to the page.
  links jsonb not null default '[]',
  -- 'auto' follows the visitor's preference. The color is that of the theme 'color'.
  theme text not null default 'auto' check (theme in ('auto', 'light', 'dark', 'color')),
  color text not null default '#0b6b5a',
  -- A PNG of at most 256 by 256 pixels, and its hash.
  picture bytea,
  picture_hash text,
  created_at timestamptz not null default now(),
  check ((picture is null) = (picture_hash is null))
);
create index bio_pages_account on bio_pages (account_id, id);

create table qr_codes (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  alias text not null constraint qr_codes_alias_key unique,
  name text not null,
  type text not null check (type in ('text', 'vcard', 'link', 'email', 'phone', 'sms', 'wifi')),
  -- The content of a static code. A dynamic code encodes the short URL of its own link, or without one that
  -- of the link it stands for.
  payload text,
  background text,
  foreground text,
  logo bytea,
  -- The shapes of modules and finder patterns, and the text of a frame around the code.
  dots text not null default 'square' check (dots in ('square', 'rounded', 'dots')),
  eyes text not null default 'square' check (eyes in ('square', 'rounded', 'circle')),
  caption text,
  -- The link that counts the scans, and the link that exists only for this code. They are the same unless
  -- the code stands for a link that its account has anyway.
  link_id bigint references links,
  own_link_id bigint constraint qr_codes_own_link_key unique references links,
  created_at timestamptz not null default now(),
  check (num_nonnulls(payload, link_id) = 1),
  check ((type = 'link') = (link_id is not null)),
  check (own_link_id is null or link_id is not null)
);
create index qr_codes_account on qr_codes (account_id, id);
create index qr_codes_link on qr_codes (link_id) where link_id is not null;

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

-- Abuse: blocked hosts, visitors' reports and the admins' log

-- Hosts that no link may point to, alone or with all of their subdomains. `blocked_by` is a name, so that
-- it outlives the account.
create table blocked_hosts (
  id bigint generated always as identity constraint blocked_hosts_id_key unique,
  host text collate "C" primary key,
  subdomains boolean not null,
  reason text,
  blocked_by text not null,
  blocked_at timestamptz not null default now()
);

-- Links that their owners deleted while an admin had them disabled or had not looked at their reports. The
-- id is that of the deleted link. Neither the account nor its domain need exist any longer.
create table held_links (
  id bigint primary key,
  account_id bigint not null,
  username text not null,
  -- The last address. The origin is null on the service's own host.
  alias text not null,
  origin text,
  destinations text[] not null,
  created_at timestamptz not null,
  deleted_at timestamptz not null,
  -- When and why an admin disabled the link; null if it was only reported.
  disabled_at timestamptz,
  disable_reason text,
  -- Null until an admin decides. Once released nothing is reserved, and the row only explains its reports.
  decision text check (decision in ('confirm', 'release')),
  decided_by text,
  decided_at timestamptz,
  check (num_nonnulls(decision, decided_by, decided_at) in (0, 3))
);
create index held_links_open on held_links (id) where decision is null;
create index held_links_decided on held_links (decision, decided_at) where decision is not null;

-- Aliases that only the link with this id may have: those of held links, and former ones of links that an
-- admin disabled or visitors reported. The host is '' for the service itself. A domain may be deleted and
-- added again by somebody else, so its id is of no use here.
create table held_aliases (
  alias text not null,
  host text not null,
  link_id bigint not null,
  primary key (alias, host)
);
create index held_aliases_link on held_aliases (link_id);

-- Destinations that an account may not link to, but for the link with this id: those of held links and of
-- links that an admin disabled. A digest, because an index entry cannot hold a URL of any length.
create table held_destinations (
  account_id bigint not null,
  digest bytea not null,
  link_id bigint not null,
  primary key (account_id, digest, link_id)
);
create index held_destinations_link on held_destinations (link_id);

-- Everything that a link may lead to; `rules` may also be a split.
create function link_destinations(url text, expired_url text, rules jsonb)
returns setof text language sql immutable as $destinations$
  select url union select expired_url where expired_url is not null
  union select rule ->> 'to' from jsonb_array_elements(rules) rule
$destinations$;

-- The scheme and the fragment make no difference.
create function destination_digest(url text) returns bytea language sql immutable as $digest$
  select sha256(convert_to(split_part(regexp_replace(url, '^https?://', ''), '#', 1), 'UTF8'))
$digest$;

-- Checks new links after they are stored: a statement that waited for the deletion of a link sees what that
-- deletion reserved only then.
create function refuse_held_links() returns trigger language plpgsql as $refuse$
declare
  held text;
begin
  if exists (
    select from added join held_aliases h using (alias)
    where h.host = coalesce((select host from domains where id = added.domain_id), '')
  ) then
    raise exception 'alias reserved' using errcode = '23505', constraint = 'links_alias_held';
  end if;
  if exists (select from added join held_destinations using (account_id)) then
    select destination into held
    from added cross join lateral
      link_destinations(url, expired_url, rules || split) destination
    join held_destinations h
      on h.account_id = added.account_id and h.digest = destination_digest(destination)
    limit 1;
    if found then
      raise exception 'destination reserved'
        using errcode = '23514', constraint = 'links_destination_held', detail = held;
    end if;
  end if;
  return null;
end $refuse$;

create trigger held_added after insert on links referencing new table as added
  for each statement execute function refuse_held_links();

-- The same for a changed link, which may keep what it had and return to what it had before.
create function refuse_held_change() returns trigger language plpgsql as $refuse$
declare
  held text;
begin
  if exists (
    select from held_aliases
    where alias = new.alias and link_id <> new.id
      and host = coalesce((select host from domains where id = new.domain_id), '')
  ) then
    raise exception 'alias reserved' using errcode = '23505', constraint = 'links_alias_held';
  end if;
  select destination into held
  from link_destinations(new.url, new.expired_url, new.rules || new.split) destination
  where destination not in (
      select link_destinations(old.url, old.expired_url, old.rules || old.split))
    and exists (
      select from held_destinations h
      where h.account_id = new.account_id and h.digest = destination_digest(destination)
        and h.link_id <> new.id)
  limit 1;
  if found then
    raise exception 'destination reserved'
      using errcode = '23514', constraint = 'links_destination_held', detail = held;
  end if;
  return null;
end $refuse$;

create trigger held_changed after update on links for each row
  when ((old.alias, old.domain_id, old.url, old.expired_url, old.rules, old.split)
    is distinct from (new.alias, new.domain_id, new.url, new.expired_url, new.rules, new.split))
  execute function refuse_held_change();

-- Reports about a link add up in one row until an admin settles it.
create table link_reports (
  id bigint generated always as identity primary key,
  -- One of the two: the link, or what is held of it after its deletion.
  link_id bigint references links on delete cascade,
  held_id bigint references held_links on delete cascade,
  -- What the link led to when it was reported; its owner may have changed that since.
  destinations text[] not null,
  phishing integer not null default 0,
  malware integer not null default 0,
  spam integer not null default 0,
  other integer not null default 0,
  -- The latest comments of reporters, oldest first, up to a limit.
  texts jsonb not null default '[]',
  first_at timestamptz not null,
  last_at timestamptz not null,
  settled_at timestamptz,
  decision text check (decision in ('disable', 'block', 'suspend', 'dismiss', 'confirm', 'release')),
  settled_by text,
  check (num_nonnulls(link_id, held_id) = 1)
);
create unique index link_reports_open on link_reports (link_id) where settled_at is null;
create index link_reports_link on link_reports (link_id);
create index link_reports_held on link_reports (held_id) where held_id is not null;
create index link_reports_settled on link_reports (settled_at, id) where settled_at is not null;

-- What admins did to other people's accounts and links. Names are text, so that an entry outlives the
-- account, link or host it is about.
create table operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail text
);
create index operator_log_subject on operator_log (lower(subject), id);
create index operator_log_actor on operator_log (lower(actor), id);
create index operator_log_action on operator_log (action, id);

create function keep_operator_log() returns trigger language plpgsql as $keep$
begin
  raise exception 'the operator log is only ever added to';
end
$keep$;

create trigger operator_log_kept before update or delete or truncate on operator_log
  for each statement execute function keep_operator_log();

-- Webhooks

-- The secret is stored in plain text, because it signs messages.
create table webhook_endpoints (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  url text not null,
  secret text not null,
  events text[] not null,
  created_at timestamptz not null default now(),
  -- Failed attempts since the last success, and the time of the first of them.
  failures integer not null default 0,
  failing_since timestamptz,
  paused_until timestamptz,
  -- The last message about clicks, and when it was created.
  clicks_told_at timestamptz,
  clicks_delivery_id bigint,
  -- When the endpoint was disabled, and why.
  disabled_at timestamptz,
  disabled_by text check (disabled_by in ('gone', 'failures')),
  -- A replaced secret still signs beside the new one for a while.
  old_secret text,
  old_secret_until timestamptz,
  -- When the last attempt ended, and whether it took long.
  attempted_at timestamptz,
  slow boolean not null default false,
  -- Deliveries dropped because too many were waiting, and when the last of them was.
  dropped bigint not null default 0,
  dropped_at timestamptz
);
create index webhook_endpoints_account on webhook_endpoints (account_id, id);

-- Messages, each stored once however many endpoints it goes to.
create table webhook_messages (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null
);
create index webhook_messages_account on webhook_messages (account_id);
create index webhook_messages_age on webhook_messages (created_at);

create table webhook_deliveries (
  id bigint generated always as identity primary key,
  endpoint_id bigint not null references webhook_endpoints on delete cascade,
  message_id bigint not null references webhook_messages on delete cascade,
  -- The size of the message.
  bytes integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_at timestamptz not null,
  -- The result of the last attempt.
  status integer,
  problem text
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_at) include (id, bytes)
  where state = 'waiting';
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_message on webhook_deliveries (message_id);

-- Clicks not yet sent to an endpoint. No foreign key, because an import of clicks must not fail when an
-- endpoint is deleted at that moment.
create table webhook_clicks (
  endpoint_id bigint not null,
  link_id bigint not null,
  clicks bigint not null,
  primary key (endpoint_id, link_id)
);

-- The last expired link that webhooks were sent for, in order of expiration.
create table webhook_ends (
  singleton boolean primary key default true check (singleton),
  told_until timestamptz not null,
  last_link_id bigint not null default 0
);

-- Imports

-- One import of links. It records how far it got, so that it resumes after an interruption.
create table imports (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  source text not null,
  -- The name of the file, or the URL of the API.
  name text not null,
  options jsonb not null default '{}',
  state text not null default 'waiting' constraint imports_state_check check (state in ('uploading',
    'waiting', 'checking', 'checked', 'running', 'done', 'failed', 'cancelled')),
  -- The next page of a paginated API.
  page text,
  rows bigint not null default 0,
  -- The number of rows, if known in advance.
  expected bigint,
  counts jsonb not null default '{}',
  problem text,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Started from the console and run by a background process.
  background boolean not null default false,
  dry_run boolean not null default false,
  -- The size of the uploaded file in bytes, and how much of it has been read.
  size bigint,
  bytes_read bigint not null default 0,
  -- When the current run started, and how many rows were done by then.
  run_at timestamptz,
  run_rows bigint not null default 0,
  -- When to resume after the source asked to slow down.
  not_before timestamptz,
  -- Columns or fields of the source that the import does not use.
  unused text[] not null default '{}'
);
create index imports_account on imports (account_id, id);
create index imports_open on imports (id)
  where background and state in ('waiting', 'checking', 'running');

-- Rejected rows and the reasons.
create table import_problems (
  import_id bigint not null references imports on delete cascade,
  row bigint not null,
  alias text not null,
  problem text not null,
  primary key (import_id, row)
);

-- Uploaded files, stored while their import needs them, so that any process can continue it. Unlogged,
-- so that large files burden neither the write-ahead log nor backups; after a crash of the server the
-- file has to be uploaded again.
create unlogged table import_files (
  import_id bigint not null references imports on delete cascade,
  part integer not null,
  content bytea not null,
  primary key (import_id, part)
);
alter table import_files alter column content set storage external;

-- Keys of other services' APIs, encrypted by a key outside of the database.
create unlogged table import_keys (
  import_id bigint primary key references imports on delete cascade,
  sealed bytea not null
);

-- The link that each imported row became, so that no row is imported twice. Without foreign keys, whose
-- checks took a third of the time of an import; forget_imported deletes the rows of deleted links.
create table imported_links (
  link_id bigint primary key,
  account_id bigint not null,
  source text not null,
  domain text not null,
  alias text not null,
  constraint imported_links_row_key unique (account_id, source, domain, alias)
);

-- Lists by clicks, and the lengths of lists

-- Links in the order of their clicks. The importer updates it from click_totals every few seconds, so these
-- numbers are only good for sorting. Sorting click_totals instead takes a second for a million links and, on
-- a cluster, reads all of its machines. No foreign key to links, as in link_tags.
create table link_order (
  account_id bigint not null,
  clicks bigint not null,
  link_id bigint not null constraint link_order_link_key unique,
  primary key (account_id, clicks, link_id)
) with (fillfactor = 80);

-- The links whose clicks each import changed, until link_order includes them.
create table link_order_changes (
  id bigint generated always as identity primary key,
  link_ids bigint[] not null
);
alter table link_order_changes alter column link_ids set storage external;

-- Deletes what refers to deleted links without a foreign key. Links are deleted by statements of many
-- rows, so one trigger call per statement costs less than a check per row.
create function forget_imported_links() returns trigger language plpgsql as $forget$
declare
  ids constant bigint[] := array(select id from removed);
begin
  delete from imported_links where link_id = any (ids);
  delete from link_tags where link_id = any (ids);
  delete from link_versions where link_id = any (ids);
  delete from link_checks where link_id = any (ids);
  delete from link_order where link_id = any (ids);
  return null;
end $forget$;

create trigger forget_imported after delete on links referencing old table as removed
  for each statement execute function forget_imported_links();

create function order_new_links() returns trigger language plpgsql as $order$
begin
  insert into link_order (account_id, clicks, link_id)
  select account_id, 0, id from added where kind = 'link';
  return null;
end $order$;

create trigger order_new after insert on links referencing new table as added
  for each statement execute function order_new_links();

-- The number of rows of each owner, so that long lists show their length without counting; see
-- count_rows_of. A count is the sum of 16 slots, because with a single row every insert of an account
-- would wait for the previous one to commit.
create table row_counts (
  owner_id bigint not null,
  kind text not null,
  slot smallint not null,
  rows bigint not null,
  primary key (kind, owner_id, slot)
) with (fillfactor = 50);

-- Makes triggers keep the number of rows of a table in row_counts, by owner, for rows that meet the
-- condition. Existing rows are counted once. Each table gets a function of its own, because a function
-- that builds its statement would plan it on every call.
create procedure count_rows_of(name text, owner text, condition text default 'true')
language plpgsql as $procedure$
begin
  execute format(
    'create function count_%1$s() returns trigger language plpgsql as $count$
     begin
       insert into row_counts as c (owner_id, kind, slot, rows)
       select %2$I, %1$L, pg_backend_pid() %% 16,
              case when tg_op = ''INSERT'' then 1 else -1 end * count(*)
       from changed where %3$s
       group by %2$I order by %2$I
       on conflict (kind, owner_id, slot) do update set rows = c.rows + excluded.rows;
       return null;
     end $count$',
    name, owner, condition);
  execute format(
    'create trigger count_inserted after insert on %1$I referencing new table as changed
     for each statement execute function count_%1$s()',
    name);
  execute format(
    'create trigger count_deleted after delete on %1$I referencing old table as changed
     for each statement execute function count_%1$s()',
    name);
  execute format(
    'insert into row_counts (owner_id, kind, slot, rows)
     select %2$I, %1$L, 0, count(*) from %1$I where %3$s group by %2$I',
    name, owner, condition);
end $procedure$;

call count_rows_of('links', 'account_id', 'kind = ''link''');
call count_rows_of('deleted_links', 'account_id');
call count_rows_of('qr_codes', 'account_id');
call count_rows_of('campaign_links', 'campaign_id');
call count_rows_of('channel_items', 'channel_id');

-- Changes of what visits need

-- The ids of rows that were inserted, updated or deleted, by kind. Triggers fill it, so that no statement
-- changes a row unnoticed. Link stores follow it: each keeps the snapshot that it has read up to and then
-- reads the changes of the transactions that were not visible in that snapshot. It misses none, whatever
-- order transactions commit in.
create table changes (
  xid xid8 not null default pg_current_xact_id(),
  kind text not null,
  ids bigint[] not null
);
create index changes_xid on changes (xid);

-- How far changes are deleted. Those of transactions before `pruned_before` are; those before `prune_next`
-- will be an hour after `turned_at`. A store whose snapshot is older than that is built anew.
create table change_feed (
  singleton boolean primary key default true check (singleton),
  pruned_before xid8 not null default '0',
  prune_next xid8 not null default '0',
  turned_at timestamptz not null default now()
);
insert into change_feed default values;

-- Makes triggers record the changes of a table under a kind, by the ids in a column. A statement that
-- changes many rows records them in pieces, so that readers need not hold all of them.
create procedure record_changes_of(name text, kind text, id text default 'id')
language plpgsql as $procedure$
declare
  event text;
begin
  execute format(
    'create function record_%1$s() returns trigger language plpgsql as $record$
     begin
       insert into changes (kind, ids)
       select %2$L, array_agg(id)
       from (select %3$I as id, row_number() over () as number from changed) as numbered
       group by number / 1000;
       return null;
     end $record$',
    name, kind, id);
  foreach event in array array['insert', 'update', 'delete'] loop
    execute format(
      'create trigger record_%2$s after %2$s on %1$I referencing %3$s table as changed
       for each statement execute function record_%1$s()',
      name, event, case event when 'delete' then 'old' else 'new' end);
  end loop;
end $procedure$;

call record_changes_of('links', 'link');
call record_changes_of('link_pixels', 'link', 'link_id');
call record_changes_of('accounts', 'account');
call record_changes_of('domains', 'domain');
call record_changes_of('splash_pages', 'splash');
call record_changes_of('overlays', 'overlay');
call record_changes_of('pixels', 'pixel');
call record_changes_of('campaigns', 'campaign');
call record_changes_of('campaign_links', 'campaign_link');
call record_changes_of('bio_pages', 'bio_page');
call record_changes_of('blocked_hosts', 'blocked_host');

-- Clicks

-- Countries, referrers, browsers and operating systems, so that the tables below hold integers.
create table labels (
  id integer generated always as identity primary key,
  name text not null constraint labels_name_key unique,
  -- The account whose import introduced the name, which bounds how many it may introduce; null for names
  -- of clicks. Not a reference: after the account is deleted, a name stays until nothing uses it.
  account_id bigint,
  -- Since when nothing uses the name; a later round deletes it.
  unused_since timestamptz
);
create index labels_account on labels (account_id) where account_id is not null;

-- How much of each segment of the click journal has been imported.
create table journal_positions (
  segment text primary key,
  position bigint not null,
  updated_at timestamptz not null default now()
);

-- Every import updates the rows of its links, often several times a day. Free space on a page lets the new
-- version stay there, so that the indexes do not change.
create table click_totals (
  link_id bigint primary key,
  clicks bigint not null default 0,
  last_click_at timestamptz
) with (fillfactor = 60);

-- A day of a link: clicks and new visitors, the same by hour, and clicks by label, packed like the labels
-- of click_details. `hours` has the clicks of hour h under h and the new visitors under 24 + h.
create table click_days (
  link_id bigint not null,
  day date not null,
  clicks bigint not null,
  visitors integer not null,
  hours bytea not null,
  labels bytea not null,
  primary key (link_id, day)
) with (fillfactor = 60);
alter table click_days alter column hours set storage external;
alter table click_days alter column labels set storage external;

-- A day of an account, including its deleted links, so that nothing has to be summed over links. `links`
-- holds roughly the most clicked links of the day, as candidates that are counted exactly when asked for.
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

-- The labels and visitors of a link. `labels` packs its clicks by country, referrer, browser and so on into
-- one value, instead of some thirty rows. `visitors` is the number of unique visitors, and `hashes` the
-- first bucket of the set that tells new visitors from known ones.
create table click_details (
  link_id bigint primary key,
  labels bytea not null,
  visitors bigint not null,
  hashes bytea not null
) with (fillfactor = 60, toast_tuple_target = 4080);
alter table click_details alter column labels set storage external;
alter table click_details alter column hashes set storage external;

-- The other buckets of a link's set of visitors, numbered from 1.
create table click_visitors (
  link_id bigint not null,
  bucket integer not null,
  hashes bytea not null,
  primary key (link_id, bucket)
) with (fillfactor = 50);
alter table click_visitors alter column hashes set storage external;

-- Raw clicks, partitioned by month. A row has the clicks of a link on a day (UTC) that were imported
-- together. `blocks` packs time, visitor and labels of each click, crawlers included; `clicks` is the number
-- of clicks of people.
create table clicks (
  account_id bigint not null,
  link_id bigint not null,
  day date not null,
  clicks integer not null,
  blocks bytea not null
) partition by range (day);
alter table clicks alter column blocks set storage external;
create index clicks_link on clicks (link_id, day);
create index clicks_account on clicks (account_id, day);

-- Clicks of a link that another service counted before an import. They have no raw clicks or visitors.
create table click_imports (
  link_id bigint primary key,
  clicks bigint not null,
  first_day date not null,
  last_day date not null
);

-- Deleted links whose clicks are too many to delete in one request. The importer deletes the rest.
create table removed_links (
  link_id bigint primary key,
  removed_at timestamptz not null default now()
);
