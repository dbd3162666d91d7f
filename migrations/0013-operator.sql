-- Who sees the operator's pages: the first account, and whoever is named by command or by another admin. Of
-- several accounts that are there already, the oldest may be anybody's: then a command names one.
alter table accounts add column admin boolean not null default false;

update accounts set admin = true
where deleting_since is null
  and (select count(*) from accounts where deleting_since is null) = 1;

create index accounts_admin on accounts (id) where admin;

-- What the operator did to what belongs to others. Whoever and whatever is named by text, so that a line
-- outlives the account, the link or the host that it tells of.
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
