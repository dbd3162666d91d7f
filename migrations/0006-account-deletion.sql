-- Since when an account is being deleted, piece by piece: it is suspended and never comes back, and its
-- row is the last thing to go.
alter table accounts add column deleting_since timestamptz;

create index accounts_deleting on accounts (id) where deleting_since is not null;
