const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'

/** Words with a meaning in configuration files, and aliases of a single character. */
const WORDS = [
  'default',
  'hostnames',
  'include',
  'volatile',
  'import',
  '_',
  '-',
  'a',
  'B',
  'é',
  '短',
]

const UNICODE = ['café', 'привет', '短縮', 'ελλάδα', '𠮷野', 'हिन्दी', 'Ünïcode', 'aéB', 'ñ-_']

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of nginx
/** Text that browsers and configuration files treat specially, in queries, fragments and paths. */
const HOSTILE = [
  ...[
    '?q=$uri',
    '?q=${uri}$request_body$$',
    '#{$HOME}',
    '?{env.HOME}{http.request.host}{}',
    '?$1${1}',
  ],
  ...[
    '?q=\\',
    '#a\\',
    '?q=\\{',
    '?\\"\\',
    '?a;b;}',
    '#;} server { return 500; }',
    `?q='"'`,
    '?a b\tc\n',
  ],
  ...[
    '# comment',
    '?<script>',
    '?`id`|^~',
    ':splat/*/:x',
    '?é=あ&𠮷',
    '?%24%7B%22%',
    '%2e%2e/',
    '//x/',
  ],
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of nginx

const LONG = ['$', '{', '\\', 'a', 'あ', "'"]
const MAX_BYTES = 8192

/** Returns distinct aliases: random ones, many case variants of one word, and all scripts. */
export function hostileAliases(count: number): string[] {
  const aliases = new Set(WORDS)
  for (let index = 0; aliases.size < count; index += 1) aliases.add(hostileAlias(index))
  return [...aliases]
}

function hostileAlias(index: number): string {
  switch (index % 10) {
    case 0:
      return mixCase('campaignfriends', Math.floor(index / 10))
    case 1:
      return `${UNICODE[(index >> 4) % UNICODE.length]}${index}`.normalize('NFC')
    case 2:
      return (
        mixCase('abcdefgh'.repeat(8), index * 7919).slice(0, 58) + String(index).padStart(6, '0')
      )
    default:
      return randomAlias(index)
  }
}

/** Makes letters uppercase where a number has a 1 bit. */
function mixCase(word: string, bits: number): string {
  return Array.from(word, (letter, at) =>
    Math.floor(bits / 2 ** (at % 30)) % 2 === 1 ? letter.toUpperCase() : letter,
  ).join('')
}

/** Returns seven characters determined by an index. */
function randomAlias(index: number): string {
  let state = (index + 1) * 2_654_435_761
  return Array.from({ length: 7 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return ALPHABET[(state >>> 8) % ALPHABET.length]
  }).join('')
}

/** Returns a URL as users may enter it, up to the maximum length. */
export function hostileUrl(index: number): string {
  const base = index % 7 === 0 ? 'https://bücher.example/' : `https://example.com/pages/${index}`
  if (index % 500 !== 0) return `${base}${HOSTILE[index % HOSTILE.length]}`
  const filling = LONG[(index / 500) % LONG.length] ?? ''
  const room = MAX_BYTES - Buffer.byteLength(base) - 1
  return `${base}?${filling.repeat(Math.floor(room / Buffer.byteLength(filling)))}`
}
