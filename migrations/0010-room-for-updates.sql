-- An import changes the rows of the links that it has clicks of, again and again on the same day. Where
-- a page has room for the new row beside the old one, the indexes stay as they are, and what is left of
-- the old one goes with the next change of that page.
alter table click_totals set (fillfactor = 60);

alter table click_days set (fillfactor = 60);
