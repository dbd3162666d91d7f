-- The whole schema. Tables belong to one of two families:
--
-- * Tables of what people own, from accounts to QR codes, reference each other by foreign keys.
-- * Click tables (click_*, clicks, uncounted_days, account_*days) reference no other tables, so that Citus can
--   distribute them. Their keys begin with the link or the account.
--
-- Statements run one at a time, because Citus refuses a batch that touches a distributed table.

-- The installation

create table instance (
  singleton boolean primary key default true check (singleton),
  token text not null,
  visitor_key bytea not null,
  created_at timestamptz not null default now(),
  -- When the last search for unused labels began.
  labels_checked_at timestamptz
);

-- Accounts and sessions

-- Tenants, which own links, keys and plans. The email is a copy of the owner's email, so that API requests
-- need no join.
create table accounts (
  id bigint generated always as identity primary key,
  email text not null,
  username text not null,
  plan text not null default 'free' check (plan in ('free', 'pro')),
  expires_at timestamptz,
  suspended_at timestamptz,
  registered_at timestamptz not null default now(),
  -- Set when deletion starts. Large accounts are deleted in batches, and their row goes last.
  deleting_since timestamptz,
  -- Names of robots that the account added, in the form of BOTS_FILE.
  robots text[] not null default '{}'
);
create index accounts_email on accounts (lower(email collate "C"));
create unique index accounts_username_key on accounts (lower(username collate "C"));
create index accounts_deleting on accounts (id) where deleting_since is not null;

-- People. Without a password hash, they sign in with the identity provider or a passkey, or have not
-- accepted their invitation yet. Admins can open the admin pages in any of their accounts.
create table users (
  id bigint generated always as identity primary key,
  email text not null,
  password_hash text,
  language text not null default 'en',
  time_zone text not null default 'UTC',
  admin boolean not null default false,
  -- Whether the user has proved to own the email. At registration, any email can be entered.
  email_verified boolean not null default false,
  created_at timestamptz not null default now(),
  -- Whether signing in requires a second factor: true for users with one-time codes or a passkey. Sessions
  -- are created under a lock on this row, so that none is created without the factor once there is one.
  has_second_factor boolean not null default false
);
create unique index users_email_key on users (lower(email collate "C"));
create index users_admin on users (id) where admin;

-- Users' identities at the OpenID Connect provider. Unlike the email there, a subject never changes and
-- is never reused.
create table user_identities (
  issuer text not null,
  subject text not null,
  user_id bigint not null references users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index user_identities_user on user_identities (user_id);

-- The members of accounts. API clients see the oldest owner.
create table members (
  account_id bigint not null references accounts on delete cascade,
  user_id bigint not null references users on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (account_id, user_id)
);
create index members_user on members (user_id);

-- Open invitations. The hash is that of the token in the link, which is not stored. It is null until the
-- email with the link is sent. Times come from the program's clock.
create table invitations (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  email text not null,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  hash bytea constraint invitations_hash_key unique,
  expires_at timestamptz not null
);
create unique index invitations_email_key on invitations (account_id, lower(email collate "C"));

-- Browsers that are signed in to the console, with their current account. The hash is that of the token in
-- the cookie, which is not stored. Times come from the program's clock, which also decides when a session
-- expires.
create table sessions (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  hash bytea not null constraint sessions_hash_key unique,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  -- The browser and operating system, by which users recognize their sessions. Null if unknown.
  browser text
);
create index sessions_user on sessions (user_id, last_used_at);
create index sessions_account on sessions (account_id);

-- Password reset links. Using one deletes all of the user. Strangers can request mailed links, so these
-- replace none. A new link of an admin or the command line replaces only the previous one of these. The
-- hash is that of the token in the link, which is not stored. Times come from the program's clock.
create table password_resets (
  hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  mailed boolean not null,
  expires_at timestamptz not null
);
create index password_resets_user on password_resets (user_id);
create unique index password_resets_issued_key on password_resets (user_id) where not mailed;

-- One-time codes of users (RFC 6238). Checking a code requires the secret, so it is not hashed. `last_step`
-- is the time step of the last accepted code, so that each code works only once.
create table one_time_codes (
  user_id bigint primary key references users on delete cascade,
  secret bytea not null,
  last_step bigint not null,
  created_at timestamptz not null
);

-- Unused recovery codes, as hashes of 80 random bits.
create table recovery_codes (
  user_id bigint not null references users on delete cascade,
  hash bytea not null,
  primary key (user_id, hash)
);

-- Passkeys (WebAuthn). The counter is from the authenticator's last signature, or 0 if it has no counter.
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

-- Second factors that users are setting up: the secret for one-time codes, or the challenge and name of a
-- passkey. Unlogged, because users can start again after a crash.
create unlogged table factor_setups (
  session_id bigint primary key references sessions on delete cascade,
  kind text not null check (kind in ('codes', 'passkey')),
  secret bytea not null,
  name text,
  expires_at timestamptz not null
);

-- Sign-ins that are waiting for their second factor. The hash is that of the token in the cookie, which is
-- not stored. If the user is null, the passkey identifies the user. `password_hash` is the hash that the
-- password was checked against, so that changing the password ends the sign-in. Unlogged, because users can
-- start again after a crash.
create unlogged table pending_sign_ins (
  hash bytea primary key,
  user_id bigint references users on delete cascade,
  account_id bigint references accounts on delete cascade,
  password_hash text,
  -- The token of the invitation that this sign-in accepts.
  invitation_hash bytea,
  challenge bytea,
  expires_at timestamptz not null
);
create index pending_sign_ins_user on pending_sign_ins (user_id);
create index pending_sign_ins_account on pending_sign_ins (account_id);

-- Rate limit windows. Unlogged, because a window lasts a minute and a crash only resets its count. The fill
-- factor keeps updates on their page.
create unlogged table rate_windows (
  subject text primary key,
  started_at timestamptz not null,
  hits integer not null
) with (fillfactor = 50);

-- Accounts with open pages of live statistics, until the given time. The importer publishes their clicks.
-- Unlogged, because an open page renews its row every few seconds.
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
  -- The redirect URL for expired links that have no expired_url of their own.
  expired_url text,
  -- Whether links on the domain forward the visitor's query and path by default.
  forward_query boolean not null default false,
  forward_path boolean not null default false,
  -- The content of /.well-known/assetlinks.json and /.well-known/apple-app-site-association.
  asset_links text,
  app_site_association text,
  -- The style of visitor pages: a color as #rrggbb, a PNG in base64 that pages embed, and whether pages
  -- without a logo name this software. The types are those of JSON, in which link stores keep them.
  accent text,
  logo text,
  footer boolean not null default true,
  created_at timestamptz not null default now(),
  -- The last check whether the domain points to this service, and the first check that failed since then.
  last_checked_at timestamptz,
  failing_since timestamptz,
  -- The result and time of the last check: the domain points to this service, it points to another server, or
  -- its name has no address.
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
  -- The owner's name for the key.
  name text,
  scope text not null default 'full' check (scope in ('full', 'links', 'create', 'read')),
  -- The only domain that the key can access; null for all domains. Keys are deleted with their domain,
  -- because null would extend their access.
  domain_id bigint references domains on delete cascade,
  -- Set if the key is the connection of an app: the grant by which the app gets the key's text, which changes
  -- every hour, and the user who granted it.
  grant_id text constraint api_keys_grant_key unique,
  user_id bigint references users on delete set null
);
create index api_keys_user on api_keys (user_id) where user_id is not null;
create index api_keys_account on api_keys (account_id);
create index api_keys_domain on api_keys (domain_id) where domain_id is not null;

-- What the OAuth authorization server stores: clients, requests, grants, codes and tokens. The hash is that of
-- the id or token, which is not stored.
create table oauth_records (
  model text not null,
  hash bytea not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (model, hash)
);
create index oauth_records_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_age on oauth_records (expires_at);

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

-- Returns a text in the form for comparison without case, like foldCase in src/text.ts. Spells the letters out,
-- because lower() depends on the locale of the database, and in other locales on the version of its library. Most
-- aliases have no uppercase letters outside of ASCII: they take microseconds, where translate() would take a millisecond.
create function fold_case(text text) returns text language sql immutable parallel safe as $fold$
  select case when octet_length(text) = length(text) then lower(text collate "C")
    when text collate "C" !~
      '[İÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋ'
      'ƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͰ'
      'ͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪ'
      'ЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤ'
      'ԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰ'
      'ᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭ'
      'ᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮ'
      'ẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛ'
      'ᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺᾼῈῊῌῘῙῚῨῩῪῬῸῺῼℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧ'
      'ⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚ'
      'ꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵＡＢＣＤＥＦＧ'
      'ＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴'
      '𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢'
      '𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇'
      '𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡]'
    then normalize(lower(text collate "C"), NFC)
    else normalize(translate(replace(lower(text collate "C"), 'İ', 'i̇'),
      'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋ'
      'ƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͰ'
      'ͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪ'
      'ЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤ'
      'ԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰ'
      'ᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭ'
      'ᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮ'
      'ẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛ'
      'ᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺᾼῈῊῌῘῙῚῨῩῪῬῸῺῼℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧ'
      'ⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚ'
      'ꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵＡＢＣＤＥＦＧ'
      'ＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴'
      '𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢'
      '𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇'
      '𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡',
      'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌ'
      'ǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱ'
      'ͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗϙϛϝϟϡϣϥϧϩϫϭϯθϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъ'
      'ыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥ'
      'ԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀ'
      'ꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽᲊაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭ'
      'ხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕßạảấầẩẫậắ'
      'ằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓ'
      'ᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰᾳὲὴῃῐῑὶῠῡὺῥὸὼῳⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨ'
      'ⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛ'
      'ꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛꟶａｂｃｄｅｆｇ'
      'ｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛'
      '𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂'
      '𐶃𐶄𐶅𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩'
      '𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃'
    ), NFC) end
$fold$;

-- Links of kind 'qr' and 'bio' back dynamic QR codes and buttons of bio pages. They count clicks but are never
-- listed. A link of kind 'forward' backs a printed code that now encodes another link of the account. It does
-- not count visits, because the other link does. Links of kind 'deleted' are in the trash: see deleted_links.
create table links (
  id bigint generated always as identity,
  account_id bigint not null references accounts on delete cascade,
  kind text not null default 'link' check (kind in ('link', 'qr', 'bio', 'forward', 'deleted')),
  -- The text that searches match. It is stored because building it for every link would be slow. Only ASCII
  -- is lowercased, because other letters depend on the locale of the database.
  -- Searches read this column of every link. They are 30% faster if it is one of the first, because PostgreSQL
  -- parses each row up to the column it needs.
  search_text text generated always as (
    lower((alias || chr(1) || url || chr(1) || coalesce(meta_title, '')) collate "C")
  ) stored,
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
  -- Whether visitors get the destination only after they press a button.
  confirm boolean not null default false,
  -- When the last allowed click was used. `link_uses` counts them.
  used_up_at timestamptz,
  ends_at timestamptz generated always as (least(expires_at, used_up_at)) stored,
  -- The redirect URL after the link has expired.
  expired_url text,
  -- Destinations for some visitors: see src/links/rules/rule.ts. The first matching rule wins.
  rules jsonb not null default '[]',
  -- Destinations among which all other visitors are split: see src/links/split.ts.
  split jsonb not null default '[]',
  parameters jsonb not null default '[]',
  -- Null means the domain's default.
  forward_query boolean,
  forward_path boolean,
  meta_title text,
  meta_description text,
  meta_image text,
  created_at timestamptz not null default now(),
  -- Who created the link: see src/links/versions/actor.ts. This row is the link's first version.
  created_by text,
  -- When and why an admin disabled the link; null if no admin has. Separate from the status, so that queries
  -- about the status can ignore it.
  blocked_at timestamptz,
  block_reason text,
  -- When the owner archived the link. It still redirects, but the console does not list it.
  archived_at timestamptz,
  constraint links_alias_key unique nulls not distinct (alias, domain_id),
  -- Includes the account, so that imports of clicks find the owners of links without reading their rows.
  primary key (id) include (account_id)
);
create index links_account on links (account_id, id) where kind = 'link';
-- For lists that are sorted by creation date or by alias.
create index links_created on links (account_id, created_at, id) include (archived_at)
  where kind = 'link';
create index links_archived on links (account_id, created_at, id)
  where kind = 'link' and archived_at is not null;
create index links_aliases on links (account_id, alias collate "C", id) include (archived_at)
  where kind = 'link';
-- For visits with an alias in another case.
create index links_alias_case on links ((fold_case(alias) collate "C"), coalesce(domain_id, 0));
-- Agents list and undo their own links.
create index links_agent on links (created_by, created_at) where created_by like 'mcp:%';
create index links_domain on links (domain_id) where domain_id is not null;
create index links_splash on links (splash_id) where splash_id is not null;
create index links_overlay on links (overlay_id) where overlay_id is not null;

-- For lists that are filtered by status. Most links are in none of these indexes.
create index links_disabled on links (account_id, created_at, id)
  where kind = 'link' and status = 'disabled';
create index links_ending on links (account_id, created_at, id) include (ends_at)
  where kind = 'link' and status = 'active' and ends_at is not null;

-- For webhooks about expired links.
create index links_end on links (account_id, expires_at) where expires_at is not null;

-- The trash. A deleted link keeps its row and clicks for 30 days under the kind 'deleted', which other
-- queries exclude. `parts` has its rows from other tables, so that they can be restored: tags, campaigns,
-- channels, QR codes and the row of an import.
create table deleted_links (
  link_id bigint primary key references links on delete cascade,
  account_id bigint not null,
  deleted_at timestamptz not null default now(),
  parts jsonb not null
);
create index deleted_links_account on deleted_links (account_id, deleted_at, link_id);
create index deleted_links_age on deleted_links (deleted_at);

-- Undo steps for recent changes of links: the opposite action and the changed links.
create table undo_actions (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  action text not null,
  -- The action's tag or campaign.
  value text not null default '',
  link_ids bigint[] not null,
  created_at timestamptz not null default now()
);
create index undo_actions_account on undo_actions (account_id);
create index undo_actions_age on undo_actions (created_at);

-- The number of clicks used of links with a click limit. They are counted before the visitor is redirected.
-- This is not a column of links, because every change of a link is sent to all link stores.
create table link_uses (
  link_id bigint primary key references links on delete cascade,
  clicks integer not null
) with (fillfactor = 50);

-- Uploaded images for link previews: JPEGs, served at /static/<hash>.jpg. The hash includes the account, and
-- `meta_image` of the link is the URL. Images of a link's recent versions are kept.
create table link_images (
  link_id bigint not null references links on delete cascade,
  hash text not null,
  image bytea not null,
  created_at timestamptz not null default now(),
  -- The account of the link, whose bytes these are.
  account_id bigint,
  primary key (link_id, hash)
);
create index link_images_hash on link_images (hash);
-- The links with an uploaded preview image. Several links may use the same image.
create index links_share_image
  on links (substring(meta_image from '^https?://[^/]+/static/([0-9a-f]{32})[.]jpg$'))
  where substring(meta_image from '^https?://[^/]+/static/([0-9a-f]{32})[.]jpg$') is not null;

-- UTM parameters that an account has saved for reuse.
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

-- `key` is the name in lower case, which is compared.
create table tags (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  name text not null,
  key text collate "C" not null,
  constraint tags_key unique (account_id, key)
);

-- There is no foreign key to links, because checking it took most of the time when tagging a million links.
-- Every writer creates or locks the link in the same transaction, and forget_imported deletes the rows of
-- deleted links.
create table link_tags (
  link_id bigint not null,
  tag_id bigint not null references tags,
  position integer not null,
  primary key (link_id, tag_id)
);
create index link_tags_tag on link_tags (tag_id, link_id);

-- Changes of links, by field: {"url": {"before": …, "after": …}}. Values are in the API's format, without
-- passwords. Long lists have only the entries that changed, and `at`, the number of entries before them.
-- `restores` is the version that the change restored, or 0 for the original. `bytes` is the size of the changes,
-- and `truncated` is set if older versions were deleted for this one. There is no foreign key to links for the
-- same reason as in link_tags.
create table link_versions (
  link_id bigint not null,
  id bigint generated always as identity,
  changed_at timestamptz not null default now(),
  changed_by text not null,
  restores bigint,
  changes jsonb not null,
  bytes integer not null generated always as (octet_length(changes::text)) stored,
  -- The account of the link, whose bytes these are.
  account_id bigint,
  truncated boolean not null default false,
  -- The version that this change of an agent undid: 0 for the creation.
  undoes bigint,
  primary key (link_id, id)
);
create index link_versions_age on link_versions (changed_at);
-- Agents list and undo their own changes.
create index link_versions_agent on link_versions (changed_by, changed_at) where changed_by like 'mcp:%';

-- The last checks of links' destinations. `failed_at` is the first failure since they last worked, and
-- `broken_at` is set when they fail again a day later. `postponed` is set if the server asked to retry later.
-- There is no foreign key to links for the same reason as in link_tags.
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
  created_at timestamptz not null default now(),
  -- The account of the overlay, whose bytes these are.
  account_id bigint
);
create index overlay_answers_age on overlay_answers (created_at);
create index overlay_answers_overlay on overlay_answers (overlay_id, id);
create index overlay_answers_link on overlay_answers (link_id) where link_id is not null;

-- Wrong guesses at the passwords of links, by all visitors. `last_at` is when the count was last updated,
-- and the count decays from then on. Unlogged, because a crash of the database only resets the counts.
create unlogged table link_guesses (
  link_id bigint primary key,
  wrong double precision not null,
  last_at timestamptz not null,
  waits_until timestamptz
) with (fillfactor = 50);

-- Visitors who recently entered the right password. A flood of guesses does not lock them out. A visitor is
-- identified by a keyed hash of the network address and the password's hash.
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
  -- How often the rotator chooses the link, in proportion to the others.
  weight smallint not null default 1 constraint campaign_links_weight_check check (weight between 1 and 100),
  primary key (campaign_id, link_id)
);
create index campaign_links_link on campaign_links (link_id);
-- Whether the rotator of a campaign has any weights.
create index campaign_links_weighted on campaign_links (campaign_id) where weight <> 1;

-- Public pages with the statistics of a link or campaign. The token in the URL is not hashed, because the
-- console shows the URL again, and anyone who can read this table can read the statistics anyway.
create table shared_statistics (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  token text not null constraint shared_statistics_token_key unique,
  link_id bigint constraint shared_statistics_link_key unique references links on delete cascade,
  campaign_id bigint constraint shared_statistics_campaign_key unique
    references campaigns on delete cascade,
  -- The time zone of the user who created the page.
  time_zone text not null,
  created_at timestamptz not null default now(),
  check (num_nonnulls(link_id, campaign_id) = 1)
);
create index shared_statistics_account on shared_statistics (account_id);

-- Reports that members receive by email: on the account, or on one link or campaign. The token is for the
-- unsubscribe link. `sent_until` is the first day that no report has covered yet, counted from 1970.
create table report_subscriptions (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  user_id bigint not null,
  link_id bigint references links on delete cascade,
  campaign_id bigint references campaigns on delete cascade,
  frequency text not null check (frequency in ('weekly', 'monthly')),
  token text not null constraint report_subscriptions_token_key unique,
  sent_until integer not null,
  next_at timestamptz not null,
  constraint report_subscriptions_subject_key
    unique nulls not distinct (account_id, user_id, link_id, campaign_id),
  foreign key (account_id, user_id) references members on delete cascade,
  check (num_nonnulls(link_id, campaign_id) <= 1)
);
create index report_subscriptions_due on report_subscriptions (next_at);
create index report_subscriptions_link on report_subscriptions (link_id) where link_id is not null;
create index report_subscriptions_campaign on report_subscriptions (campaign_id)
  where campaign_id is not null;

create table bio_pages (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  alias text not null constraint bio_pages_alias_key unique,
  title text not null,
  text text not null default '',
  -- The buttons: title, URL, and the ID of the link that counts their clicks. `alias` is set if this link has
  -- the kind 'bio' and so belongs to the page.
  links jsonb not null default '[]',
  -- 'auto' follows the visitor's preference. `color` is only for the theme 'color'.
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
  -- The content of a static code. A dynamic code encodes the short URL of its own link. If it has none, it
  -- encodes the short URL of an existing link.
  payload text,
  background text,
  foreground text,
  logo bytea,
  -- The shapes of the modules and finder patterns, and the text in the frame around the code.
  dots text not null default 'square' check (dots in ('square', 'rounded', 'dots')),
  eyes text not null default 'square' check (eyes in ('square', 'rounded', 'circle')),
  caption text,
  -- The link that counts the scans, and the link that exists only for this code. They are the same unless the
  -- code encodes an existing link of the account.
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

-- Hosts that links must not point to, with or without their subdomains. `blocked_by` is a name, so that it
-- remains when the account is deleted.
create table blocked_hosts (
  id bigint generated always as identity constraint blocked_hosts_id_key unique,
  host text collate "C" primary key,
  subdomains boolean not null,
  reason text,
  blocked_by text not null,
  blocked_at timestamptz not null default now()
);

-- Links that their owners deleted while they were disabled by an admin or had open reports. The ID is that of
-- the deleted link. The account and the domain may have been deleted as well.
create table held_links (
  id bigint primary key,
  account_id bigint not null,
  username text not null,
  -- The link's last host and alias. The origin is null for the service's own host.
  alias text not null,
  origin text,
  destinations text[] not null,
  created_at timestamptz not null,
  deleted_at timestamptz not null,
  -- When and why an admin disabled the link. Null if it was only reported.
  disabled_at timestamptz,
  disable_reason text,
  -- Null until an admin decides. After a release nothing is reserved, and the row only documents its reports.
  decision text check (decision in ('confirm', 'release')),
  decided_by text,
  decided_at timestamptz,
  check (num_nonnulls(decision, decided_by, decided_at) in (0, 3))
);
create index held_links_open on held_links (id) where decision is null;
create index held_links_decided on held_links (decision, decided_at) where decision is not null;

-- Aliases that only the link with this ID may use: the aliases of held links, and former aliases of links that
-- were disabled by an admin or reported. The host is '' for the service itself. This is not the ID of a
-- domain, because another account may add a deleted domain again.
create table held_aliases (
  alias text not null,
  host text not null,
  link_id bigint not null,
  primary key (alias, host)
);
create index held_aliases_link on held_aliases (link_id);

-- Destinations that only the link with this ID may have within its account: those of held links and of links
-- that an admin disabled. They are stored as digests, because the length of index entries is limited.
create table held_destinations (
  account_id bigint not null,
  digest bytea not null,
  link_id bigint not null,
  primary key (account_id, digest, link_id)
);
create index held_destinations_link on held_destinations (link_id);

-- Returns all destinations of a link. `rules` can also be a split.
create function link_destinations(url text, expired_url text, rules jsonb)
returns setof text language sql immutable as $destinations$
  select url union select expired_url where expired_url is not null
  union select rule ->> 'to' from jsonb_array_elements(rules) rule
$destinations$;

-- Decodes escapes of characters that never need one (RFC 3986, section 2.3), and writes others in upper case.
create function normalize_escapes(url text) returns text language sql immutable as $normalize$
  select coalesce(string_agg(
    case when part[1] ~ '^%(?:2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])$'
      then chr(('x' || substr(part[1], 2))::bit(8)::integer)
      when part[1] ~ '^%..$' then upper(part[1] collate "C") else part[1] end, '' order by number), '')
  from regexp_matches(url, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') with ordinality as split (part, number)
$normalize$;

-- Equal for URLs that lead to the same page: ignores the scheme, the default ports, dots after the host, an empty
-- query and the fragment.
create function destination_digest(url text) returns bytea language sql immutable as $digest$
  select sha256(convert_to(normalize_escapes(regexp_replace(regexp_replace(
    split_part(regexp_replace(url, '^https?://', ''), '#', 1),
    '^([^/?:]*?)[.]+((?:|:[0-9]+)(?:$|[/?]))', '\1\2'), '(^[^/?]*):(?:80|443)(?=$|[/?])|[?]$', '\1')), 'UTF8'))
$digest$;

-- Checks new links after they are stored. Only then does a statement that waited for the deletion of a link
-- see what that deletion reserved.
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

-- Does the same for a changed link, which may keep or return to its own aliases and destinations.
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

-- Reports about a link. They are combined in one row until an admin settles it.
create table link_reports (
  id bigint generated always as identity primary key,
  -- Exactly one of the two is set: the link, or the held link after its deletion.
  link_id bigint references links on delete cascade,
  held_id bigint references held_links on delete cascade,
  -- The destination when the link was reported. Its owner may have changed it since.
  destinations text[] not null,
  phishing integer not null default 0,
  malware integer not null default 0,
  spam integer not null default 0,
  other integer not null default 0,
  -- The most recent comments of reporters, oldest first.
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

-- The audit log of admins' actions on accounts and links. Names are text, so that an entry remains when its
-- account, link or host is deleted.
create table operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail text
);
create index operator_log_subject on operator_log (lower(subject collate "C"), id);
create index operator_log_actor on operator_log (lower(actor collate "C"), id);
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
  -- The number of failed attempts since the last success, and the time of the first one.
  failures integer not null default 0,
  failing_since timestamptz,
  paused_until timestamptz,
  -- The last message about clicks and its creation time.
  clicks_told_at timestamptz,
  clicks_delivery_id bigint,
  -- When the endpoint was disabled, and why.
  disabled_at timestamptz,
  disabled_by text check (disabled_by in ('gone', 'failures')),
  -- After a secret is replaced, messages are signed with both secrets for a while.
  old_secret text,
  old_secret_until timestamptz,
  -- When the last attempt ended, and whether it was slow.
  attempted_at timestamptz,
  slow boolean not null default false,
  -- The number of deliveries dropped because too many were waiting, and the time of the last one.
  dropped bigint not null default 0,
  dropped_at timestamptz
);
create index webhook_endpoints_account on webhook_endpoints (account_id, id);

-- Messages. Each is stored once, even if several endpoints receive it.
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
  -- The size of the message in bytes.
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

-- Clicks that have not been sent to an endpoint yet. There is no foreign key, because importing clicks must
-- not fail if an endpoint is deleted at the same time.
create table webhook_clicks (
  endpoint_id bigint not null,
  link_id bigint not null,
  clicks bigint not null,
  primary key (endpoint_id, link_id)
);

-- The last link for which webhooks about its expiration were sent, in order of expiration.
create table webhook_ends (
  singleton boolean primary key default true check (singleton),
  told_until timestamptz not null,
  last_link_id bigint not null default 0
);

-- Imports

-- Imports of links. Each records its progress, so that it can resume after an interruption.
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
  -- The number of rows. Null if it is not known in advance.
  expected bigint,
  counts jsonb not null default '{}',
  problem text,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Whether the import was started from the console. A background process runs these.
  background boolean not null default false,
  dry_run boolean not null default false,
  -- The size of the uploaded file in bytes, and how much of it has been read.
  size bigint,
  bytes_read bigint not null default 0,
  -- When the current run started, and how many rows had been processed by then.
  run_at timestamptz,
  run_rows bigint not null default 0,
  -- When to resume. Set if the source has limited requests.
  not_before timestamptz,
  -- Columns or fields of the source that the import ignores.
  unused text[] not null default '{}'
);
create index imports_account on imports (account_id, id);
create index imports_open on imports (id)
  where background and state in ('waiting', 'checking', 'running');

-- Rejected rows with the reason, and created links that lost a value (notices). A row can have several.
create table import_problems (
  id bigint generated always as identity,
  import_id bigint not null references imports on delete cascade,
  row bigint not null,
  alias text not null,
  problem text not null,
  is_notice boolean not null default false,
  -- The account of the import, whose bytes these are.
  account_id bigint,
  primary key (import_id, id)
);

-- Uploaded files, until their import is done. They are in the database so that any process can continue the
-- import. Unlogged, so that large files do not fill the write-ahead log and backups. After a crash of the
-- database, the file must be uploaded again.
create unlogged table import_files (
  import_id bigint not null references imports on delete cascade,
  part integer not null,
  content bytea not null,
  primary key (import_id, part)
);
alter table import_files alter column content set storage external;

-- API keys of other services, encrypted with a key that is not in the database.
create unlogged table import_keys (
  import_id bigint primary key references imports on delete cascade,
  sealed bytea not null
);

-- The link that each imported row created, so that no row is imported twice. There are no foreign keys,
-- because checking them took a third of the time of an import. forget_imported deletes the rows of deleted
-- links.
create table imported_links (
  link_id bigint primary key,
  account_id bigint not null,
  source text not null,
  domain text not null,
  alias text not null,
  -- The approximate size of the imported clicks by day.
  history_bytes integer not null default 0,
  constraint imported_links_row_key unique (account_id, source, domain, alias)
);

-- Sorting by clicks, and row counts

-- The clicks of links, only for sorting lists: the importer copies them from click_totals every few seconds.
-- Sorting click_totals itself would take a second for a million links and, on a cluster, query every machine.
-- There is no foreign key to links for the same reason as in link_tags.
create table link_order (
  account_id bigint not null,
  clicks bigint not null,
  link_id bigint not null constraint link_order_link_key unique,
  primary key (account_id, clicks, link_id)
) with (fillfactor = 80);

-- The links with new clicks from each import, until link_order is updated.
create table link_order_changes (
  id bigint generated always as identity primary key,
  link_ids bigint[] not null
);
alter table link_order_changes alter column link_ids set storage external;

-- Deletes rows that reference deleted links without a foreign key. Statements delete many links at once, so
-- one trigger call per statement is cheaper than a check per row.
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

-- The number of rows by owner, so that long lists show their length without counting: see count_rows_of. A
-- count is the sum of 16 slots. With a single row, every insert of an account would wait for the previous one
-- to commit.
create table row_counts (
  owner_id bigint not null,
  kind text not null,
  slot smallint not null,
  rows bigint not null,
  primary key (kind, owner_id, slot)
) with (fillfactor = 50);

-- Creates triggers that count a table's rows in row_counts, by owner, if they meet a condition. Counts
-- existing rows once. Each table gets its own function, because a function that builds its statement would
-- plan it on every call.
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
call count_rows_of('bio_pages', 'account_id');
call count_rows_of('campaign_links', 'campaign_id');
call count_rows_of('channel_items', 'channel_id');

-- Creates triggers that count the bytes of a table's rows in row_counts under a kind, by owner. `owner` is an
-- expression. `size` is the size of a row, of which updates change the count. A connection has its own of 256 slots, so that transactions
-- do not wait for each other.
create procedure count_bytes_of(name text, kind text, owner text, size text)
language plpgsql as $procedure$
declare
  event text;
  rows text;
begin
  foreach event in array array['insert', 'update', 'delete'] loop
    rows := case event
      when 'insert' then 'select %1$s as owner, %2$s as bytes from added'
      when 'delete' then 'select %1$s as owner, -(%2$s) as bytes from removed'
      else 'select %1$s as owner, %2$s as bytes from added union all select %1$s, -(%2$s) from removed'
    end;
    execute format(
      'create function count_%1$s_of_%2$s_%3$s() returns trigger language plpgsql as $count$
       begin
         insert into row_counts as c (owner_id, kind, slot, rows)
         select owner, %1$L, pg_backend_pid() %% 256, sum(bytes) from (%4$s) as sized
         where owner is not null group by owner having sum(bytes) <> 0 order by owner
         on conflict (kind, owner_id, slot) do update set rows = c.rows + excluded.rows;
         return null;
       end $count$',
      kind, name, event, format(rows, owner, size));
    execute format(
      'create trigger %1$s_%3$s after %3$s on %2$I referencing %4$s
       for each statement execute function count_%1$s_of_%2$s_%3$s()',
      kind, name, event,
      case event when 'insert' then 'new table as added' when 'delete' then 'old table as removed'
        else 'old table as removed new table as added' end);
  end loop;
end $procedure$;

-- The bytes of an account: see src/identity/storage.ts. A fixed part stands for the row and its indexes.
call count_bytes_of('links', 'bytes', 'account_id', '200 + 2 * octet_length(alias) + 2 * octet_length(url)
  + coalesce(2 * octet_length(meta_title), 0) + coalesce(octet_length(meta_description), 0)
  + coalesce(octet_length(meta_image), 0) + coalesce(octet_length(expired_url), 0)
  + octet_length(rules::text) + octet_length(split::text) + octet_length(parameters::text)');
call count_bytes_of('link_versions', 'bytes', 'account_id', '100 + bytes');
call count_bytes_of('link_images', 'bytes', 'account_id', '100 + octet_length(image)');
call count_bytes_of('undo_actions', 'bytes', 'account_id', '100 + 8 * cardinality(link_ids)');
call count_bytes_of('domains', 'bytes', 'account_id', '500 + coalesce(octet_length(logo), 0)
  + coalesce(octet_length(redirect_root), 0) + coalesce(octet_length(redirect_404), 0)
  + coalesce(octet_length(expired_url), 0) + coalesce(octet_length(asset_links), 0) + coalesce(octet_length(app_site_association), 0)');
call count_bytes_of('splash_pages', 'bytes', 'account_id', '200 + octet_length(name) + octet_length(title)
  + octet_length(message) + coalesce(octet_length(image), 0) + coalesce(octet_length(link), 0)');
call count_bytes_of('overlays', 'bytes', 'account_id', '200 + octet_length(name) + octet_length(text)
  + octet_length(options::text) + coalesce(octet_length(image), 0) + coalesce(octet_length(link), 0)');
call count_bytes_of('bio_pages', 'bytes', 'account_id', '200 + octet_length(title) + octet_length(text)
  + octet_length(links::text) + coalesce(octet_length(picture), 0)');
call count_bytes_of('qr_codes', 'bytes', 'account_id', '300 + coalesce(octet_length(payload), 0)
  + coalesce(octet_length(logo), 0)');
call count_bytes_of('campaigns', 'bytes', 'account_id', '300 + octet_length(name)');
call count_bytes_of('channels', 'bytes', 'account_id',
  '300 + octet_length(name) + octet_length(description)');
call count_bytes_of('pixels', 'bytes', 'account_id', '200 + octet_length(name) + octet_length(tag)');
call count_bytes_of('utm_templates', 'bytes', 'account_id', '200 + octet_length(name) + octet_length(values::text)');
call count_bytes_of('webhook_endpoints', 'bytes', 'account_id', '500 + octet_length(url)');
call count_bytes_of('link_tags', 'bytes', '(select account_id from tags where tags.id = tag_id)', '100');
-- If the row of one side is deleted, the other one still knows the account.
call count_bytes_of('link_pixels', 'bytes', 'coalesce((select account_id from pixels where pixels.id = pixel_id),
  (select account_id from links where links.id = link_id))', '150');
call count_bytes_of('campaign_links', 'bytes',
  'coalesce((select account_id from campaigns where campaigns.id = campaign_id),
  (select account_id from links where links.id = link_id))', '200');
call count_bytes_of('channel_items', 'bytes',
  'coalesce((select account_id from channels where channels.id = channel_id),
  (select account_id from links where links.id = link_id), (select account_id from bio_pages where bio_pages.id = bio_id),
  (select account_id from qr_codes where qr_codes.id = qr_id))', '200');
call count_bytes_of('shared_statistics', 'bytes', 'account_id', '300');
call count_bytes_of('tags', 'bytes', 'account_id', '150 + 2 * octet_length(name)');
call count_bytes_of('idempotency_keys', 'bytes', 'account_id', '150 + octet_length(key) + octet_length(response)');
call count_bytes_of('imported_links', 'bytes', 'account_id', '200 + octet_length(source) + octet_length(domain)
  + octet_length(alias) + history_bytes');
call count_bytes_of('deleted_links', 'bytes', 'account_id', '100 + octet_length(parts::text)
  + coalesce((parts -> ''imported'' ->> ''history_bytes'')::integer, 0)');
call count_bytes_of('held_links', 'bytes', 'account_id', '300 + octet_length(destinations::text)');
call count_bytes_of('import_problems', 'bytes', 'account_id', '100 + octet_length(alias) + octet_length(problem)');
call count_bytes_of('overlay_answers', 'bytes', 'account_id', '150 + octet_length(answer::text)');
-- The bytes of an overlay's responses, which are limited: see src/overlays/overlay.queries.ts.
call count_bytes_of('overlay_answers', 'answer_bytes', 'overlay_id', '150 + octet_length(answer::text)');

-- Change feed of the link stores

-- The IDs of inserted, updated and deleted rows, by kind. Triggers fill the table, so that it has the changes
-- of every statement. Each link store remembers the snapshot up to which it has read, and next reads the
-- changes of transactions that were not visible in it. It misses none, in whatever order transactions commit.
create table changes (
  xid xid8 not null default pg_current_xact_id(),
  -- Orders the changes of a transaction, so that a reader can stop and continue anywhere.
  id bigint not null generated always as identity,
  kind text not null,
  ids bigint[] not null,
  primary key (xid, id)
);

-- Which changes are deleted. Changes of transactions before `pruned_before` are gone, and those before
-- `prune_next` are deleted an hour after `turned_at`. A store with an older snapshot is rebuilt.
create table change_feed (
  singleton boolean primary key default true check (singleton),
  pruned_before xid8 not null default '0',
  prune_next xid8 not null default '0',
  turned_at timestamptz not null default now()
);
insert into change_feed default values;

-- Creates triggers that record the changes of a table under a kind, by the IDs in a column. A statement that
-- changes many rows records them in batches, so that readers need not load all of them at once.
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

-- The names of countries, referrers, browsers and operating systems. The tables below contain their IDs.
create table labels (
  id integer generated always as identity primary key,
  name text not null constraint labels_name_key unique,
  -- The account that introduced the name by an import, because these are limited per account. Null for names
  -- from clicks. This is not a foreign key, because the name remains in use after the account is deleted.
  account_id bigint,
  -- When the name was found to be unused. A later round deletes it.
  unused_since timestamptz
);
create index labels_account on labels (account_id) where account_id is not null;

-- The position up to which each segment of the click journal has been imported.
create table journal_positions (
  segment text primary key,
  position bigint not null,
  updated_at timestamptz not null default now()
);

-- Every import updates the rows of its links, often several times a day. The fill factor leaves room for the
-- new version on the same page, so that the indexes do not change.
create table click_totals (
  link_id bigint primary key,
  clicks bigint not null default 0,
  last_click_at timestamptz
) with (fillfactor = 60);

-- The daily statistics of links: clicks and new visitors, both also by hour, and clicks by label. `labels` is
-- packed as in click_details. `hours` has the clicks of hour h under h, and its new visitors under 24 + h.
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

-- The daily statistics of accounts, including deleted links, so that queries need not add up links. `links`
-- has the approximately most clicked links of the day. These are counted exactly when they are queried.
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

-- The visits of links that do not count as clicks, by day (UTC). `visits` maps kinds, such as crawler, to names
-- of robots and their numbers of visits. Further names of a kind than 50 are added up as Other.
create table uncounted_days (
  link_id bigint not null,
  day date not null,
  visits jsonb not null,
  primary key (link_id, day)
) with (fillfactor = 70);

-- The same of accounts, including deleted links. Further names of a kind than 200 are added up as Other. The
-- kind program has clicks of programs that are in no list.
create table account_uncounted_days (
  account_id bigint not null,
  day date not null,
  visits jsonb not null,
  primary key (account_id, day)
) with (fillfactor = 50);
-- For the programs of all accounts in the last days.
create index account_uncounted_days_day on account_uncounted_days (day);

-- The labels and visitors of links. `labels` packs the clicks by country, referrer, browser and so on into one
-- value instead of about thirty rows. `visitors` is the number of unique visitors, and `hashes` is the first
-- bucket of their hashes.
create table click_details (
  link_id bigint primary key,
  labels bytea not null,
  visitors bigint not null,
  hashes bytea not null
) with (fillfactor = 60, toast_tuple_target = 4080);
alter table click_details alter column labels set storage external;
alter table click_details alter column hashes set storage external;

-- The other buckets of a link's visitor hashes, numbered from 1.
create table click_visitors (
  link_id bigint not null,
  bucket integer not null,
  hashes bytea not null,
  primary key (link_id, bucket)
) with (fillfactor = 50);
alter table click_visitors alter column hashes set storage external;

-- Raw clicks, partitioned by month. A row has the clicks of a link on a day (UTC) that were imported together.
-- `blocks` packs the time, visitor and labels of each click, including those of crawlers. `clicks` is the
-- number of clicks without crawlers.
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

-- Clicks that another service counted before a link was imported. They have no raw clicks and no visitors.
create table click_imports (
  link_id bigint primary key,
  clicks bigint not null,
  first_day date not null,
  last_day date not null
);

-- Deleted links with too many clicks to delete in one request. The importer deletes the rest.
create table removed_links (
  link_id bigint primary key,
  removed_at timestamptz not null default now()
);
