-- What a search looks through of each link, in a third of the room that the links take. An index holds
-- no text of any length, so that links with more of it are looked at themselves.
create index links_search on links (account_id, id) include (search_text, status, expires_at)
  where kind = 'link' and octet_length(search_text) <= 2000;

create index links_search_long on links (account_id, id)
  where kind = 'link' and octet_length(search_text) > 2000;

-- The links that are not simply active: most are in neither.
create index links_disabled on links (account_id, id) where kind = 'link' and status = 'disabled';

create index links_ending on links (account_id, id) include (expires_at)
  where kind = 'link' and status = 'active' and expires_at is not null;
