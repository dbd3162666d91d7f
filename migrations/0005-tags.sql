-- Tags, by which owners find their links again. `key` is the name as it is compared: without case.
create table tags (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  name text not null,
  key text collate "C" not null,
  constraint tags_key unique (account_id, key)
);

create table link_tags (
  link_id bigint not null references links on delete cascade,
  tag_id bigint not null references tags,
  position integer not null,
  primary key (link_id, tag_id)
);

-- Also walked for a page of the links with a tag.
create index link_tags_tag on link_tags (tag_id, link_id);

-- When the operator disabled a link, and why if that was said; null where only its owner may have.
-- Beside the status, so that whoever asks for the status need not know.
alter table links add column blocked_at timestamptz;

alter table links add column block_reason text;

-- What a search looks through, so that it need not be put together for each link each time. Letters
-- beyond ASCII keep their case here: how they fold depends on the database's locale.
alter table links add column search_text text generated always as (
  lower((alias || chr(1) || url || chr(1) || coalesce(meta_title, '')) collate "C")
) stored;
