-- What a session's owner knows it by: the browser and the system that it was begun with; null for those
-- that were begun before, or by what is no browser.
alter table sessions add column browser text;
