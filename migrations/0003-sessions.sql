-- A person's browser that is signed in to the console: the hash of the token in its cookie, never the
-- token. Moments are the program's, by whose clock sessions also end.
create table sessions (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  hash bytea not null constraint sessions_hash_key unique,
  created_at timestamptz not null,
  last_used_at timestamptz not null
);

create index sessions_account on sessions (account_id, last_used_at);

-- What its owner calls a key; null for those that nobody named.
alter table api_keys add column name text;
