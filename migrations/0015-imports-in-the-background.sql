-- Imports that the console begins, which run in a process of the service and go on after an
-- interruption.
alter table imports
  add column background boolean not null default false,
  add column dry_run boolean not null default false,
  -- Bytes of the file that was uploaded, and how many of them have been read.
  add column size bigint,
  add column bytes_read bigint not null default 0,
  -- When the run that is under way began, and after how many rows.
  add column run_at timestamptz,
  add column run_rows bigint not null default 0,
  -- When an import that waits may go on, where its source wanted a pause.
  add column not_before timestamptz,
  drop constraint imports_state_check,
  add constraint imports_state_check check (state in ('uploading', 'waiting', 'checking', 'checked',
    'running', 'done', 'failed', 'cancelled'));

create index imports_open on imports (id)
  where background and state in ('waiting', 'checking', 'running');

-- What was uploaded, for as long as it is needed: any process can go on with it. Unlogged, so that a
-- large file burdens neither the log nor backups; after a crash of the server it is uploaded again.
create unlogged table import_files (
  import_id bigint not null references imports on delete cascade,
  part integer not null,
  content bytea not null,
  primary key (import_id, part)
);
alter table import_files alter column content set storage external;

-- The keys of APIs, sealed by a key that lies outside of the database.
create unlogged table import_keys (
  import_id bigint primary key references imports on delete cascade,
  sealed bytea not null
);

-- A check of two references for each row took a third of the time of storing it. Links are deleted by
-- statements, so one statement can follow them.
alter table imported_links
  drop constraint imported_links_link_id_fkey,
  drop constraint imported_links_account_id_fkey;

create function forget_imported_links() returns trigger language plpgsql as $forget$
begin
  delete from imported_links where link_id = any (array(select id from removed));
  return null;
end $forget$;

create trigger forget_imported after delete on links referencing old table as removed
  for each statement execute function forget_imported_links();

-- A secret that was replaced signs for a while beside the new one.
alter table webhook_endpoints
  add column old_secret text,
  add column old_secret_until timestamptz;

-- When a domain was last asked whether it leads here, and since when it does not.
alter table domains
  add column asked_at timestamptz,
  add column failing_since timestamptz;
