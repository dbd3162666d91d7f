-- A check of a reference for each row locks the link's row once more and writes that down: most of the
-- time of giving a million links tags, and a place by their clicks, went there. Whoever adds such a row
-- has made or locked the link in the same transaction, so it is there; when links are deleted, one
-- statement follows them, as for what an import remembers.
create or replace function forget_imported_links() returns trigger language plpgsql as $forget$
declare
  ids constant bigint[] := array(select id from removed);
begin
  delete from imported_links where link_id = any (ids);
  delete from link_tags where link_id = any (ids);
  delete from link_order where link_id = any (ids);
  return null;
end $forget$;

alter table link_tags drop constraint link_tags_link_id_fkey;

alter table link_order drop constraint link_order_link_id_fkey;
